//! Programs that reset the device.

use crate::support::build::executable;
use crate::support::command::{run, warpsan};
use crate::support::{examples, fresh_folder, program};

#[test]
fn a_reset_is_a_new_beginning() {
    let folder = fresh_folder("resetting");
    let resetting = executable(&program("resetting.cu"), &folder);
    let ended = run(warpsan(["run", "--engine", "cpu", "--"]).arg(&resetting));
    ended.expect_code(0);
    assert_eq!(String::from_utf8_lossy(&ended.stdout), "as at first\n");
}

/// A program that prints the same on a GPU.
#[test]
fn totals_begin_anew_with_each_reset() {
    let folder = fresh_folder("reset-totals");
    let source = examples().join("../suites/gpu/results/runtime_device_reset.cu");
    let ended = run(warpsan(["run", "--engine", "cpu", "--"]).arg(executable(&source, &folder)));
    ended.expect_code(0);
    let text = String::from_utf8_lossy(&ended.stdout).into_owned();
    assert_eq!(text.lines().filter(|line| line.ends_with(" ok")).count(), 3, "{text}");
}
