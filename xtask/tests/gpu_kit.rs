//! The scripts for machines with a GPU are written in Python and tested without one; this runs their tests.

use std::path::Path;
use std::process::Command;

#[test]
fn the_scripts_of_the_kit_pass_their_tests() {
    let workspace =
        Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("a folder of the workspace");
    let ended = Command::new("python3")
        .args(["-B", "-m", "unittest", "test_kit"])
        .current_dir(workspace.join("suites/gpu/kit"))
        .output()
        .expect("python3 can be started");
    let said = String::from_utf8_lossy(&ended.stderr);
    assert!(ended.status.success(), "{said}");
    assert!(said.contains("Ran ") && !said.contains("Ran 0 tests"), "{said}");
}
