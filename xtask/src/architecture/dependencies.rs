//! Which crate of the workspace uses which, from `cargo metadata`. Development dependencies do not count:
//! a test may look at everything.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use anyhow::Context;
use cargo_metadata::{DependencyKind, MetadataCommand};

use super::table::Table;

/// Pairs that must not depend on each other, not even through others, and the reason.
const APART: &[(&str, &[&str], &str)] = &[
    ("detect", &["simt", "gpu", "instrument", "ir"], "a detector sees events, not their engine"),
    ("simt", &["detect", "ld"], "an engine does not know who listens to its events"),
    ("gpu", &["detect", "ld"], "an engine does not know who listens to its events"),
    ("report", &["event"], "a report is plain data, made from no event"),
];

/// The crates of the workspace by their short names (`ptx` for `warpsan-ptx`).
#[derive(Debug, Default)]
pub(super) struct Graph {
    /// For each crate: the crates of the workspace it uses.
    internal: BTreeMap<String, BTreeSet<String>>,
    /// For each crate: the packages from elsewhere it uses.
    external: BTreeMap<String, BTreeSet<String>>,
}

impl Graph {
    pub(super) fn of_workspace(root: &Path) -> anyhow::Result<Self> {
        let metadata = MetadataCommand::new()
            .manifest_path(root.join("Cargo.toml"))
            .no_deps()
            .exec()
            .context("cargo metadata cannot read the workspace")?;
        let packages = metadata.workspace_packages();
        let members: BTreeSet<&str> =
            packages.iter().map(|package| package.name.as_str()).collect();
        let mut graph = Graph::default();
        for package in &packages {
            let user = short_name(&package.name);
            graph.internal.entry(user.clone()).or_default();
            graph.external.entry(user.clone()).or_default();
            for dependency in &package.dependencies {
                if dependency.kind != DependencyKind::Normal {
                    continue;
                }
                let used = short_name(&dependency.name);
                if members.contains(dependency.name.as_str()) {
                    graph.internal.entry(user.clone()).or_default().insert(used);
                } else {
                    graph.external.entry(user.clone()).or_default().insert(used);
                }
            }
        }
        Ok(graph)
    }

    /// Dependencies that the table does not allow, and crates that only one of the two knows.
    pub(super) fn against(&self, table: &Table) -> Vec<String> {
        let mut violations = Vec::new();
        for (user, used) in &self.internal {
            match table.rows.get(user) {
                None => violations.push(format!("`{user}` has no row in ARCHITECTURE.md")),
                Some(may_use) => {
                    violations.extend(used.iter().filter(|used| !may_use.allows(used)).map(
                        |used| format!("`{user}` uses `{used}`, which its row in ARCHITECTURE.md does not allow"),
                    ));
                }
            }
        }
        for listed in table.rows.keys().filter(|listed| !self.internal.contains_key(*listed)) {
            violations
                .push(format!("ARCHITECTURE.md lists `{listed}`, but there is no such crate"));
        }
        violations
    }

    /// Crates that reach, directly or through others, one they must know nothing about.
    pub(super) fn against_invariants(&self) -> Vec<String> {
        let mut violations = Vec::new();
        for (user, forbidden, reason) in APART {
            let reached = self.reached_from(user);
            for used in forbidden.iter().filter(|used| reached.contains(**used)) {
                violations.push(format!("`{user}` depends on `{used}`: {reason}"));
            }
        }
        violations
    }

    /// Crates, other than the allowed ones, that use one of these packages from elsewhere.
    pub(super) fn external_users(&self, packages: &[&str], allowed: &[&str]) -> Vec<String> {
        let mut violations = Vec::new();
        for (user, used) in &self.external {
            if allowed.contains(&user.as_str()) {
                continue;
            }
            for used in used.iter().filter(|used| packages.contains(&used.as_str())) {
                violations
                    .push(format!("`{user}` uses the package `{used}`; only {allowed:?} may"));
            }
        }
        violations
    }

    fn reached_from(&self, start: &str) -> BTreeSet<String> {
        let mut reached = BTreeSet::new();
        let mut open = vec![start.to_owned()];
        while let Some(user) = open.pop() {
            for used in self.internal.get(&user).into_iter().flatten() {
                if reached.insert(used.clone()) {
                    open.push(used.clone());
                }
            }
        }
        reached
    }
}

fn short_name(package: &str) -> String {
    package.strip_prefix("warpsan-").unwrap_or(package).to_owned()
}

#[cfg(test)]
mod tests {
    use super::Graph;
    use crate::architecture::table::Table;

    fn graph(internal: &[(&str, &[&str])]) -> Graph {
        let mut graph = Graph::default();
        for (user, used) in internal {
            let used = used.iter().map(ToString::to_string).collect();
            graph.internal.insert((*user).to_owned(), used);
        }
        graph
    }

    fn table() -> Table {
        Table::parse(
            "| crate | owns | may use |\n| `model` | x | nothing |\n| `ptx` | x | `model` |",
        )
        .unwrap()
    }

    #[test]
    fn an_allowed_workspace_passes() {
        assert!(graph(&[("model", &[]), ("ptx", &["model"])]).against(&table()).is_empty());
    }

    #[test]
    fn a_dependency_outside_the_table_is_found() {
        let violations = graph(&[("model", &["ptx"]), ("ptx", &[])]).against(&table());
        assert_eq!(violations.len(), 1);
        assert!(violations[0].starts_with("`model` uses `ptx`"), "{violations:?}");
    }

    #[test]
    fn table_and_workspace_list_the_same_crates() {
        let violations = graph(&[("model", &[]), ("fresh", &[])]).against(&table());
        assert!(
            violations.iter().any(|text| text.contains("`fresh` has no row")),
            "{violations:?}"
        );
        assert!(violations.iter().any(|text| text.contains("lists `ptx`")), "{violations:?}");
    }

    #[test]
    fn detectors_must_not_reach_an_engine_through_others() {
        let bad = graph(&[("detect", &["middle"]), ("middle", &["simt"]), ("simt", &[])]);
        assert_eq!(bad.against_invariants().len(), 1);
        let bad = graph(&[("detect", &["event"]), ("event", &["ir"]), ("ir", &[])]);
        assert_eq!(bad.against_invariants().len(), 1);
    }

    #[test]
    fn engines_must_not_reach_a_detector() {
        let bad = graph(&[("simt", &["event"]), ("event", &["detect"]), ("gpu", &["detect"])]);
        assert_eq!(bad.against_invariants().len(), 2);
    }

    #[test]
    fn reports_must_not_reach_events() {
        let bad = graph(&[("report", &["model"]), ("model", &["event"])]);
        assert_eq!(bad.against_invariants().len(), 1);
    }

    #[test]
    fn packages_from_elsewhere_are_found_outside_their_crates() {
        let mut bad = graph(&[]);
        bad.external.insert("simt".into(), ["clap".to_owned()].into());
        bad.external.insert("cli".into(), ["clap".to_owned()].into());
        let violations = bad.external_users(&["clap"], &["cli"]);
        assert_eq!(violations.len(), 1);
        assert!(violations[0].starts_with("`simt`"), "{violations:?}");
    }

    #[test]
    fn the_real_workspace_is_read() {
        let manifest = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
        let root = manifest.parent().expect("xtask is a folder of the workspace");
        let graph = Graph::of_workspace(root).expect("the workspace can be read");
        assert!(graph.internal.contains_key("cli") && graph.internal.contains_key("xtask"));
        assert!(graph.external["xtask"].contains("anyhow"));
    }
}
