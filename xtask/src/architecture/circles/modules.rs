//! The modules of a crate, and what each of them can name.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use anyhow::Context;
use syn::punctuated::Punctuated;
use syn::visit::{self, Visit};
use syn::{Attribute, Item, Meta, Token, UseTree};

/// The sources of a package by their paths below `src`.
pub(super) type Sources = BTreeMap<PathBuf, String>;

/// A module's position in [`Crate::modules`].
pub(super) type ModuleId = usize;

/// A path as it is written, without generic arguments.
pub(super) type Segments = Vec<String>;

/// A crate, parsed.
pub(super) struct Crate {
    /// The root is the first.
    pub(super) modules: Vec<Module>,
    /// Each file, with the module that it is.
    pub(super) files: Vec<(ModuleId, syn::File)>,
}

/// A module, in a file of its own or inside one.
pub(super) struct Module {
    pub(super) parent: Option<ModuleId>,
    pub(super) file: PathBuf,
    pub(super) children: BTreeMap<String, ModuleId>,
    /// The names of the items that are defined here.
    pub(super) defined: BTreeSet<String>,
    /// What is imported or re-exported, by the name it has here. One name may stand for a module and for a function.
    pub(super) imported: BTreeMap<String, Vec<Segments>>,
    /// The modules (or enums) of which all names are imported.
    pub(super) globs: Vec<Segments>,
}

impl Crate {
    /// Parses a root file and all files that belong to it.
    pub(super) fn read(sources: &Sources, root: &Path) -> anyhow::Result<Self> {
        let mut read = Self { modules: Vec::new(), files: Vec::new() };
        let folder = root.parent().unwrap_or(Path::new("")).to_path_buf();
        read.add_file(sources, root, &folder, None)?;
        Ok(read)
    }

    /// Adds a file as a module. The files of its children are in `folder`.
    fn add_file(
        &mut self,
        sources: &Sources,
        file: &Path,
        folder: &Path,
        parent: Option<ModuleId>,
    ) -> anyhow::Result<ModuleId> {
        let text =
            sources.get(file).with_context(|| format!("there is no file {}", file.display()))?;
        let parsed = syn::parse_file(text)
            .with_context(|| format!("{} is no Rust that is understood", file.display()))?;
        let id = self.add_module(file, parent);
        self.add_items(sources, &parsed.items, id, folder)?;
        self.files.push((id, parsed));
        Ok(id)
    }

    fn add_module(&mut self, file: &Path, parent: Option<ModuleId>) -> ModuleId {
        self.modules.push(Module {
            parent,
            file: file.to_path_buf(),
            children: BTreeMap::new(),
            defined: BTreeSet::new(),
            imported: BTreeMap::new(),
            globs: Vec::new(),
        });
        self.modules.len() - 1
    }

    fn add_items(
        &mut self,
        sources: &Sources,
        items: &[Item],
        id: ModuleId,
        folder: &Path,
    ) -> anyhow::Result<()> {
        for item in items.iter().filter(|item| !is_for_tests(attributes(item))) {
            if let Item::Mod(module) = item {
                let name = module.ident.to_string();
                let child = match &module.content {
                    Some((_, items)) => {
                        let file = self.modules[id].file.clone();
                        let child = self.add_module(&file, Some(id));
                        self.add_items(sources, items, child, &folder.join(&name))?;
                        child
                    }
                    None => {
                        let (file, folder) = self.file_of(sources, module, id, folder);
                        self.add_file(sources, &file, &folder, Some(id))?
                    }
                };
                self.modules[id].children.insert(name, child);
            } else {
                self.modules[id].defined.extend(defined_name(item));
                Imports { module: &mut self.modules[id] }.visit_item(item);
            }
        }
        Ok(())
    }

    /// Where `mod name;` has its file, and where that has those of its children.
    fn file_of(
        &self,
        sources: &Sources,
        module: &syn::ItemMod,
        parent: ModuleId,
        folder: &Path,
    ) -> (PathBuf, PathBuf) {
        let beside = self.modules[parent].file.parent().unwrap_or(Path::new(""));
        if let Some(path) = path_attribute(&module.attrs) {
            let file = beside.join(path);
            let folder = file.parent().unwrap_or(Path::new("")).to_path_buf();
            return (file, folder);
        }
        let name = module.ident.to_string();
        let own = folder.join(&name);
        let inside = own.join("mod.rs");
        if sources.contains_key(&inside) { (inside, own) } else { (own.with_extension("rs"), own) }
    }
}

/// Collects the imports of one module, also those inside its functions.
struct Imports<'a> {
    module: &'a mut Module,
}

impl<'ast> Visit<'ast> for Imports<'_> {
    fn visit_item(&mut self, item: &'ast Item) {
        if !is_for_tests(attributes(item)) {
            visit::visit_item(self, item);
        }
    }

    fn visit_item_use(&mut self, item: &'ast syn::ItemUse) {
        for import in imports(&item.tree) {
            match import {
                Import::Name { name, path } => {
                    self.module.imported.entry(name).or_default().push(path);
                }
                Import::Glob(path) => self.module.globs.push(path),
            }
        }
    }
}

/// One leaf of a `use`.
pub(super) enum Import {
    /// The path under a name; `_` for a trait that gets none.
    Name { name: String, path: Segments },
    /// All names in the path.
    Glob(Segments),
}

/// The leaves of a `use`.
pub(super) fn imports(tree: &UseTree) -> Vec<Import> {
    let mut leaves = Vec::new();
    collect_imports(tree, &mut Vec::new(), &mut leaves);
    leaves
}

fn collect_imports(tree: &UseTree, prefix: &mut Segments, leaves: &mut Vec<Import>) {
    match tree {
        UseTree::Path(path) => {
            prefix.push(path.ident.to_string());
            collect_imports(&path.tree, prefix, leaves);
            prefix.pop();
        }
        UseTree::Name(leaf) => leaves.push(named(prefix, &leaf.ident.to_string(), None)),
        UseTree::Rename(leaf) => {
            leaves.push(named(prefix, &leaf.ident.to_string(), Some(leaf.rename.to_string())));
        }
        UseTree::Glob(_) => leaves.push(Import::Glob(prefix.clone())),
        UseTree::Group(group) => {
            group.items.iter().for_each(|tree| collect_imports(tree, prefix, leaves));
        }
    }
}

/// `a::b`, `a::b as c`, or `self` in braces behind `a`.
fn named(prefix: &Segments, leaf: &str, rename: Option<String>) -> Import {
    let mut path = prefix.clone();
    if leaf != "self" || prefix.is_empty() {
        path.push(leaf.to_owned());
    }
    let last = path.last().cloned().unwrap_or_default();
    Import::Name { name: rename.unwrap_or(last), path }
}

/// The name that an item has in its module.
fn defined_name(item: &Item) -> Option<String> {
    let name = match item {
        Item::Const(item) => &item.ident,
        Item::Enum(item) => &item.ident,
        Item::Fn(item) => &item.sig.ident,
        Item::Macro(item) => item.ident.as_ref()?,
        Item::Static(item) => &item.ident,
        Item::Struct(item) => &item.ident,
        Item::Trait(item) => &item.ident,
        Item::TraitAlias(item) => &item.ident,
        Item::Type(item) => &item.ident,
        Item::Union(item) => &item.ident,
        _ => return None,
    };
    Some(name.to_string())
}

/// The attributes of an item.
pub(super) fn attributes(item: &Item) -> &[Attribute] {
    match item {
        Item::Const(item) => &item.attrs,
        Item::Enum(item) => &item.attrs,
        Item::ExternCrate(item) => &item.attrs,
        Item::Fn(item) => &item.attrs,
        Item::ForeignMod(item) => &item.attrs,
        Item::Impl(item) => &item.attrs,
        Item::Macro(item) => &item.attrs,
        Item::Mod(item) => &item.attrs,
        Item::Static(item) => &item.attrs,
        Item::Struct(item) => &item.attrs,
        Item::Trait(item) => &item.attrs,
        Item::TraitAlias(item) => &item.attrs,
        Item::Type(item) => &item.attrs,
        Item::Union(item) => &item.attrs,
        Item::Use(item) => &item.attrs,
        _ => &[],
    }
}

/// Whether something is only there when tests are built.
pub(super) fn is_for_tests(attributes: &[Attribute]) -> bool {
    attributes.iter().any(|attribute| {
        let is_cfg = attribute.path().is_ident("cfg");
        attribute.path().is_ident("test")
            || (is_cfg && attribute.parse_args::<Meta>().is_ok_and(|cfg| needs_test(&cfg)))
    })
}

/// Whether a condition never holds without `test`.
fn needs_test(cfg: &Meta) -> bool {
    let Meta::List(list) = cfg else { return cfg.path().is_ident("test") };
    let parser = Punctuated::<Meta, Token![,]>::parse_terminated;
    let Ok(conditions) = list.parse_args_with(parser) else { return false };
    if list.path.is_ident("all") {
        conditions.iter().any(needs_test)
    } else {
        list.path.is_ident("any") && conditions.iter().all(needs_test)
    }
}

/// The file that `#[path = "…"]` names.
fn path_attribute(attributes: &[Attribute]) -> Option<PathBuf> {
    attributes.iter().find_map(|attribute| match &attribute.meta {
        Meta::NameValue(pair) if pair.path.is_ident("path") => match &pair.value {
            syn::Expr::Lit(syn::ExprLit { lit: syn::Lit::Str(text), .. }) => {
                Some(PathBuf::from(text.value()))
            }
            _ => None,
        },
        _ => None,
    })
}
