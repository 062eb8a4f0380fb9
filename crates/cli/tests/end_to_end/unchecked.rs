//! What looks like a clean run and is not one.

use crate::support::build::executable;
use crate::support::command::{Ended, run, warpsan};
use crate::support::{fresh_folder, program};
use std::path::PathBuf;
use std::sync::LazyLock;

/// One program serves all tests here; it is compiled once.
static PROGRAM: LazyLock<PathBuf> =
    LazyLock::new(|| executable(&program("unchecked.cu"), &fresh_folder("unchecked")));

fn run_mode(mode: &str) -> Ended {
    run(warpsan(["run", "--"]).arg(&*PROGRAM).arg(mode))
}

#[test]
fn launches_on_streams_that_do_not_wait_for_each_other() {
    run_mode("streams").expect_code(1).expect_stderr(&["error[inter-kernel]", "different streams"]);
}

#[test]
fn a_copy_beside_a_launch_on_another_stream() {
    run_mode("copy").expect_code(1).expect_stderr(&["error[inter-kernel]", "read by `cudaMemcpy`"]);
}

#[test]
fn a_stream_that_the_program_has_waited_for_is_no_such_case() {
    run_mode("waited").expect_code(0).expect_stderr(&["everything was checked"]);
}

#[test]
fn one_value_written_by_two_blocks_is_a_warning() {
    run_mode("same-value").expect_code(0).expect_stderr(&["warning[same-value]"]);
}

#[test]
fn a_process_that_goes_on_when_the_program_has_ended() {
    run_mode("background").expect_code(3).expect_stderr(&["left running"]);
}

#[test]
fn a_process_without_room_for_device_memory() {
    let script = ["--", "sh", "-c", "ulimit -v 4000000; \"$0\" waited; true"];
    let ended = run(warpsan(["run"]).args(script).arg(&*PROGRAM));
    ended.expect_code(3).expect_stderr(&["session could not be started", "ulimit -v"]);
}

#[test]
fn a_kernel_that_never_ends_within_the_time() {
    let ended = run(warpsan(["run", "--timeout", "1", "--"]).arg(&*PROGRAM).arg("spin"));
    ended.expect_code(3).expect_stderr(&["after 1 seconds", "kernel `spin`"]);
}

#[test]
fn a_kernel_that_never_ends_within_its_instructions() {
    let flags = ["run", "--max-instructions", "100000", "--"];
    let ended = run(warpsan(flags).arg(&*PROGRAM).arg("spin"));
    ended.expect_code(3).expect_stderr(&["did not end within 100000", "--max-instructions"]);
}
