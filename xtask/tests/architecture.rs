//! Holds the workspace to ARCHITECTURE.md. `cargo xtask architecture` runs the same checks, and shows more.

use std::path::{Path, PathBuf};

use xtask::architecture::{self, CHECKS, Check};

/// The folder of the workspace.
fn workspace_root() -> PathBuf {
    let manifest = Path::new(env!("CARGO_MANIFEST_DIR"));
    manifest.parent().expect("xtask is a folder of the workspace").to_path_buf()
}

/// All violations at once, so that one run shows everything there is to mend.
fn assert_passes(check: Check) {
    assert!(
        CHECKS.iter().any(|(_, listed)| std::ptr::fn_addr_eq(*listed, check)),
        "`cargo xtask architecture` does not run this check"
    );
    let violations = check(&workspace_root()).expect("the workspace can be read");
    assert!(violations.is_empty(), "\n{}\n", violations.join("\n"));
}

#[test]
fn crates_use_what_the_table_allows() {
    assert_passes(architecture::dependencies_outside_the_table);
}

#[test]
fn detectors_engines_and_reports_stay_apart() {
    assert_passes(architecture::forbidden_dependencies);
}

#[test]
fn cuda_ffi_stays_where_it_belongs() {
    assert_passes(architecture::misplaced_cuda_ffi);
}

#[test]
fn only_commands_print_and_read_flags() {
    assert_passes(architecture::misplaced_terminal_use);
}

#[test]
fn no_file_names_a_path_of_somebodys_machine() {
    assert_passes(architecture::machine_paths);
}

#[test]
fn files_import_each_other_in_small_circles_only() {
    assert_passes(architecture::long_circles);
}
