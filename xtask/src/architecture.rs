//! Holds the workspace to ARCHITECTURE.md: who may use whom comes from the table in that document, the
//! invariants below it from the checks here. Each check also has a test that it can fail.

mod circles;
mod dependencies;
mod machine_paths;
mod rust_text;
mod sources;
mod table;

use std::path::Path;

use anyhow::Context;

pub use circles::{Circle, Uses, circles_of_workspace};
use dependencies::Graph;
use table::Table;

/// Files that import each other in a circle can only be understood together: this many still can.
pub const MOST_FILES_IN_A_CIRCLE: usize = 4;

/// A check of the workspace in this folder: what is wrong, one line each.
pub type Check = fn(&Path) -> anyhow::Result<Vec<String>>;

/// All checks, each with what it holds the workspace to.
pub const CHECKS: &[(&str, Check)] = &[
    ("crates use what the table of ARCHITECTURE.md allows", dependencies_outside_the_table),
    ("detectors, engines and reports do not reach each other", forbidden_dependencies),
    ("CUDA's functions stay in the crates for them", misplaced_cuda_ffi),
    ("only commands print and read flags", misplaced_terminal_use),
    ("no file names a path of somebody's machine", machine_paths),
    ("files import each other in small circles only", long_circles),
];

/// Dependencies that the table of ARCHITECTURE.md does not allow.
pub fn dependencies_outside_the_table(root: &Path) -> anyhow::Result<Vec<String>> {
    let file = root.join("ARCHITECTURE.md");
    let text = std::fs::read_to_string(&file)
        .with_context(|| format!("cannot read {}", file.display()))?;
    let table = Table::parse(&text).with_context(|| file.display().to_string())?;
    Ok(Graph::of_workspace(root)?.against(&table))
}

/// Dependencies, direct or not, that break an invariant whatever the table says.
pub fn forbidden_dependencies(root: &Path) -> anyhow::Result<Vec<String>> {
    Ok(Graph::of_workspace(root)?.against_invariants())
}

/// Crates that speak to CUDA and should not.
pub fn misplaced_cuda_ffi(root: &Path) -> anyhow::Result<Vec<String>> {
    let mut violations = Graph::of_workspace(root)?
        .external_users(sources::CUDA_BINDINGS, sources::MAY_HOLD_CUDA_FFI);
    let allowed = sources::MAY_HOLD_CUDA_FFI;
    violations.extend(sources::check_workspace(root, allowed, sources::cuda_ffi)?);
    Ok(violations)
}

/// Libraries that print or read flags.
pub fn misplaced_terminal_use(root: &Path) -> anyhow::Result<Vec<String>> {
    let mut violations =
        Graph::of_workspace(root)?.external_users(sources::TERMINAL_CRATES, sources::MAY_PRINT);
    let allowed = sources::MAY_PRINT;
    violations.extend(sources::check_workspace(root, allowed, sources::terminal_use)?);
    Ok(violations)
}

/// Paths of the machine that a file was written on.
pub fn machine_paths(root: &Path) -> anyhow::Result<Vec<String>> {
    machine_paths::check_folder(root)
}

/// Circles of more than [`MOST_FILES_IN_A_CIRCLE`] files.
pub fn long_circles(root: &Path) -> anyhow::Result<Vec<String>> {
    let mut circles = circles_of_workspace(root)?;
    circles.retain(|circle| circle.files.len() > MOST_FILES_IN_A_CIRCLE);
    Ok(circles.iter().map(Circle::to_string).collect())
}
