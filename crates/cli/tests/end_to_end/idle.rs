//! A program that does no CUDA work: nothing was checked, and that is no clean run unless the user says so.

use crate::support::command::{run, warpsan};

#[test]
fn a_program_without_cuda_work_is_not_called_clean() {
    let ended = run(&mut warpsan(["run", "--", "true"]));
    ended.expect_code(3).expect_stderr(&[
        "not checked: the program did no CUDA work that warpsan could see",
        "--allow-idle",
    ]);
    assert!(!ended.stderr.contains("everything was checked"), "{}", ended.stderr);
}

#[test]
fn a_program_that_may_do_no_cuda_work() {
    let ended = run(&mut warpsan(["run", "--allow-idle", "--", "true"]));
    ended.expect_code(0).expect_stderr(&[
        "warpsan: the program did no CUDA work that warpsan could see",
        "no CUDA kernel was launched",
    ]);
}

#[test]
fn a_program_that_fails_before_it_uses_cuda_passes_its_code_on() {
    run(&mut warpsan(["run", "--", "sh", "-c", "exit 7"]))
        .expect_code(7)
        .expect_stderr(&["the program ended with code 7"]);
}
