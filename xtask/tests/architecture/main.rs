//! Holds the workspace to ARCHITECTURE.md: who may use whom comes from the table in that document, the
//! invariants below it from the checks here. Each check also has a test that it can fail.

mod dependencies;
mod machine_paths;
mod rust_text;
mod sources;
mod table;

use std::path::{Path, PathBuf};

use dependencies::Graph;
use table::Table;

/// The folder of the workspace.
fn workspace_root() -> PathBuf {
    let manifest = Path::new(env!("CARGO_MANIFEST_DIR"));
    manifest.parent().expect("xtask is a folder of the workspace").to_path_buf()
}

fn architecture_table() -> Table {
    let file = workspace_root().join("ARCHITECTURE.md");
    let text = std::fs::read_to_string(&file)
        .unwrap_or_else(|error| panic!("{}: {error}", file.display()));
    Table::parse(&text).unwrap_or_else(|message| panic!("{}: {message}", file.display()))
}

/// All violations at once, so that one run shows everything there is to mend.
fn assert_none(violations: &[String]) {
    assert!(violations.is_empty(), "\n{}\n", violations.join("\n"));
}

#[test]
fn crates_use_what_the_table_allows() {
    let graph = Graph::of_workspace(&workspace_root());
    assert_none(&graph.against(&architecture_table()));
}

#[test]
fn detectors_engines_and_reports_stay_apart() {
    assert_none(&Graph::of_workspace(&workspace_root()).against_invariants());
}

#[test]
fn cuda_ffi_stays_where_it_belongs() {
    let graph = Graph::of_workspace(&workspace_root());
    let mut violations = graph.external_users(sources::CUDA_BINDINGS, sources::MAY_HOLD_CUDA_FFI);
    violations.extend(sources::check_workspace(
        &workspace_root(),
        sources::MAY_HOLD_CUDA_FFI,
        sources::cuda_ffi,
    ));
    assert_none(&violations);
}

#[test]
fn only_commands_print_and_read_flags() {
    let graph = Graph::of_workspace(&workspace_root());
    let mut violations = graph.external_users(sources::TERMINAL_CRATES, sources::MAY_PRINT);
    violations.extend(sources::check_workspace(
        &workspace_root(),
        sources::MAY_PRINT,
        sources::terminal_use,
    ));
    assert_none(&violations);
}

#[test]
fn no_file_names_a_path_of_somebodys_machine() {
    assert_none(&machine_paths::check_folder(&workspace_root()));
}
