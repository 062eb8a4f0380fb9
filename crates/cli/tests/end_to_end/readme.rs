//! The README shows what its first command prints.

use std::path::Path;

use crate::support::build::need_compiler;
use crate::support::command::{run, warpsan};

/// What is typed in front of the command's own arguments: `.cargo/config.toml` defines it.
const ALIAS: &str = "    cargo warpsan ";

#[test]
fn the_report_of_the_readme_is_what_its_command_prints() {
    need_compiler();
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let readme = std::fs::read_to_string(root.join("README.md")).expect("the README");
    let command = readme.lines().find_map(|line| line.strip_prefix(ALIAS)).expect("a command");
    let ended = run(warpsan(command.split_whitespace()).current_dir(&root));
    ended.expect_code(1);
    let shown: Vec<&str> = readme
        .lines()
        .skip_while(|line| !line.starts_with("    error["))
        .map_while(|line| line.strip_prefix("    "))
        .collect();
    let printed: Vec<&str> = ended.stderr.trim().lines().map(str::trim_end).collect();
    assert_eq!(shown, printed, "the report of `{}`", command);
}
