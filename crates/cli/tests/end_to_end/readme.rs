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
    let block: Vec<&str> = readme
        .lines()
        .skip_while(|line| !line.starts_with("    error["))
        .take_while(|line| line.is_empty() || line.starts_with("    "))
        .map(|line| line.strip_prefix("    ").unwrap_or(line))
        .collect();
    let printed: Vec<&str> = ended.stderr.lines().map(str::trim_end).collect();
    assert_eq!(block.join("\n").trim_end(), printed.join("\n").trim_end(), "`{command}`");
}
