//! Which files a file uses: every path in its code, also inside the arguments of macros.

use proc_macro2::{TokenStream, TokenTree};
use syn::visit::{self, Visit};
use syn::{ImplItem, Item, Meta, TraitItem, Visibility};

use super::graph::UsesOfFiles;
use super::modules::{Crate, Import, ModuleId, attributes, imports, is_for_tests};
use super::names::Target;

/// What each file uses of the others.
pub(super) fn uses_of_crate(all: &Crate) -> UsesOfFiles {
    let mut uses = UsesOfFiles::new();
    for (module, file) in &all.files {
        uses.entry(all.modules[*module].file.clone()).or_default();
        Mentions { all, module: *module, uses: &mut uses }.visit_file(file);
    }
    uses
}

struct Mentions<'a> {
    all: &'a Crate,
    /// The module whose code is looked at.
    module: ModuleId,
    uses: &'a mut UsesOfFiles,
}

impl<'ast> Visit<'ast> for Mentions<'_> {
    fn visit_item(&mut self, item: &'ast Item) {
        if !is_for_tests(attributes(item)) {
            visit::visit_item(self, item);
        }
    }

    fn visit_impl_item(&mut self, item: &'ast ImplItem) {
        let is_for_tests = match item {
            ImplItem::Fn(function) => is_for_tests(&function.attrs),
            ImplItem::Const(constant) => is_for_tests(&constant.attrs),
            _ => false,
        };
        if !is_for_tests {
            visit::visit_impl_item(self, item);
        }
    }

    fn visit_trait_item(&mut self, item: &'ast TraitItem) {
        let is_for_tests = matches!(item, TraitItem::Fn(function) if is_for_tests(&function.attrs));
        if !is_for_tests {
            visit::visit_trait_item(self, item);
        }
    }

    fn visit_item_mod(&mut self, item: &'ast syn::ItemMod) {
        let child = self.all.modules[self.module].children.get(&item.ident.to_string()).copied();
        if let (Some((_, items)), Some(child)) = (&item.content, child) {
            let outer = std::mem::replace(&mut self.module, child);
            items.iter().for_each(|item| self.visit_item(item));
            self.module = outer;
        }
    }

    /// An import uses what it names. A re-export does not: those do who name it by that.
    fn visit_item_use(&mut self, item: &'ast syn::ItemUse) {
        if !matches!(item.vis, Visibility::Inherited) {
            return;
        }
        for import in imports(&item.tree) {
            match import {
                Import::Name { path, .. } | Import::Glob(path) => self.mention(&path),
            }
        }
    }

    fn visit_path(&mut self, path: &'ast syn::Path) {
        let is_of_a_crate = path.leading_colon.is_some();
        if !is_of_a_crate {
            let segments: Vec<String> =
                path.segments.iter().map(|segment| segment.ident.to_string()).collect();
            self.mention(&segments);
        }
        visit::visit_path(self, path);
    }

    fn visit_macro(&mut self, invocation: &'ast syn::Macro) {
        self.visit_path(&invocation.path);
        self.mention_tokens(invocation.tokens.clone());
    }

    fn visit_item_macro(&mut self, item: &'ast syn::ItemMacro) {
        // `macro_rules` is no path of ours.
        if item.ident.is_none() {
            self.visit_path(&item.mac.path);
        }
        self.mention_tokens(item.mac.tokens.clone());
    }

    fn visit_attribute(&mut self, attribute: &'ast syn::Attribute) {
        if let Meta::List(list) = &attribute.meta {
            self.mention_tokens(list.tokens.clone());
        }
    }

    fn visit_vis_restricted(&mut self, _: &'ast syn::VisRestricted) {}
}

impl Mentions<'_> {
    /// The code names this path.
    fn mention(&mut self, path: &[String]) {
        let user = &self.all.modules[self.module].file;
        for target in self.all.resolve(self.module, path) {
            let Target::Item(module) = target else { continue };
            let used = &self.all.modules[module].file;
            if used == user || self.all.is_inside(module, self.module) {
                continue;
            }
            let of_user = self.uses.entry(user.clone()).or_default();
            let names = of_user.entry(used.clone()).or_default();
            let name = path.join("::");
            if !names.contains(&name) {
                names.push(name);
            }
        }
    }

    /// Paths of more than one segment among tokens. Of one segment there may be anything: a field, a variable.
    fn mention_tokens(&mut self, tokens: TokenStream) {
        let mut path = Path::default();
        for token in tokens {
            if !path.takes(&token) {
                self.mention_complete(std::mem::take(&mut path));
                path.takes(&token);
            }
            if let TokenTree::Group(group) = token {
                self.mention_tokens(group.stream());
            }
        }
        self.mention_complete(path);
    }

    fn mention_complete(&mut self, path: Path) {
        if path.segments.len() > 1 {
            self.mention(&path.segments);
        }
    }
}

/// A path that is put together from tokens.
#[derive(Default)]
struct Path {
    segments: Vec<String>,
    /// How many colons stand behind the last segment.
    colons: usize,
}

impl Path {
    /// Takes a token, if it continues the path.
    fn takes(&mut self, token: &TokenTree) -> bool {
        match token {
            TokenTree::Ident(name) if self.segments.is_empty() || self.colons == 2 => {
                self.segments.push(name.to_string());
                self.colons = 0;
                true
            }
            TokenTree::Punct(mark) if mark.as_char() == ':' && !self.segments.is_empty() => {
                self.colons += 1;
                self.colons <= 2
            }
            _ => false,
        }
    }
}
