//! The scripts for machines with a GPU are written in Python and tested without one; this runs their tests.

use std::path::Path;
use std::process::Command;

#[test]
fn the_scripts_of_the_kit_pass_their_tests() {
    let workspace =
        Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("a folder of the workspace");
    let ended = Command::new("python3")
        .args(["-B", "test_kit.py"])
        .current_dir(workspace.join("suites/gpu/kit"))
        .output()
        .expect("python3 can be started");
    let (failed, said) =
        (String::from_utf8_lossy(&ended.stderr), String::from_utf8_lossy(&ended.stdout));
    assert!(ended.status.success(), "{failed}{said}");
    assert!(said.ends_with(" tests, 0 failed\n"), "{said}");
}
