//! Where a path leads: through modules, imports and re-exports to the file that defines its item.

use std::collections::BTreeSet;

use super::modules::{Crate, ModuleId};

/// What a path stands for. One path may stand for several things: a module and a function can have the same name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Target {
    Module(ModuleId),
    /// An item that is defined in this module.
    Item(ModuleId),
    /// Something of another crate.
    Elsewhere,
}

/// Names that are being looked up, each in its module. Imports may lead in circles.
type Pending = BTreeSet<(ModuleId, String)>;

impl Crate {
    /// What the path stands for in a module.
    pub(super) fn resolve(&self, from: ModuleId, path: &[String]) -> Vec<Target> {
        self.resolve_path(from, path, &mut Pending::new())
    }

    /// Whether a module is inside another one.
    pub(super) fn is_inside(&self, inner: ModuleId, outer: ModuleId) -> bool {
        let parent = |module: &ModuleId| self.modules[*module].parent;
        std::iter::successors(parent(&inner), parent).any(|ancestor| ancestor == outer)
    }

    fn resolve_path(&self, from: ModuleId, path: &[String], pending: &mut Pending) -> Vec<Target> {
        let Some((first, mut rest)) = path.split_first() else { return Vec::new() };
        let mut targets = match first.as_str() {
            "crate" => vec![Target::Module(0)],
            "self" => vec![Target::Module(from)],
            "super" => self.modules[from].parent.map(Target::Module).into_iter().collect(),
            name => match self.look_up(from, name, pending) {
                found if found.is_empty() => vec![Target::Elsewhere],
                found => found,
            },
        };
        while let Some((segment, behind)) = rest.split_first() {
            let modules: Vec<ModuleId> = targets.iter().filter_map(Target::module).collect();
            // What stands behind an item is a part of it: a variant, a method.
            if modules.is_empty() {
                return targets;
            }
            targets = modules
                .into_iter()
                .flat_map(|module| self.resolve_in(module, segment, pending))
                .collect();
            rest = behind;
        }
        targets
    }

    /// A segment of a path behind a module.
    fn resolve_in(&self, module: ModuleId, segment: &str, pending: &mut Pending) -> Vec<Target> {
        if segment == "super" {
            return self.modules[module].parent.map(Target::Module).into_iter().collect();
        }
        match self.look_up(module, segment, pending) {
            // A macro may have defined it: then it is of the module's file.
            found if found.is_empty() => vec![Target::Item(module)],
            found => found,
        }
    }

    /// What a module has under a name.
    fn look_up(&self, module: ModuleId, name: &str, pending: &mut Pending) -> Vec<Target> {
        if !pending.insert((module, name.to_owned())) {
            return Vec::new();
        }
        let scope = &self.modules[module];
        let mut targets = Vec::new();
        if scope.defined.contains(name) {
            targets.push(Target::Item(module));
        }
        targets.extend(scope.children.get(name).copied().map(Target::Module));
        for path in scope.imported.get(name).into_iter().flatten() {
            targets.extend(self.resolve_path(module, path, pending));
        }
        if targets.is_empty() {
            for path in &scope.globs {
                let modules = self.resolve_path(module, path, pending);
                for module in modules.iter().filter_map(Target::module) {
                    targets.extend(self.look_up(module, name, pending));
                }
            }
        }
        pending.remove(&(module, name.to_owned()));
        targets
    }
}

impl Target {
    fn module(&self) -> Option<ModuleId> {
        match self {
            Self::Module(module) => Some(*module),
            Self::Item(_) | Self::Elsewhere => None,
        }
    }
}
