//! Launches of handlers and destructors, when a process or a thread is already ending, run and are checked. What cannot run
//! any more is named.

use crate::support::build::{Cudart, nvcc};
use crate::support::command::{Ended, run, warpsan};
use crate::support::{fresh_folder, program};
use std::path::PathBuf;
use std::sync::LazyLock;

fn built(cudart: Cudart) -> PathBuf {
    let output = fresh_folder(&format!("at-the-end-{cudart:?}")).join("at_the_end");
    let out = output.to_string_lossy();
    let flags = [&["-arch=sm_90", "-O3", "-o", &out], cudart.flags()].concat();
    nvcc(&flags, &[&program("at_the_end.cu")]);
    output
}

/// Each is compiled once.
static SHARED: LazyLock<PathBuf> = LazyLock::new(|| built(Cudart::Shared));
static STATIC: LazyLock<PathBuf> = LazyLock::new(|| built(Cudart::Static));

fn run_mode(mode: &str) -> [Ended; 2] {
    [&*SHARED, &*STATIC].map(|program| run(warpsan(["run", "--"]).arg(program).arg(mode)))
}

/// The late launch has run, and its race is found.
fn is_checked(mode: &str) {
    for ended in run_mode(mode) {
        assert_eq!(String::from_utf8_lossy(&ended.stdout), "late: cudaSuccess\n", "{mode}");
        ended.expect_code(1).expect_stderr(&[
            "race on global memory, byte 0 of word, in kernel `late`",
            "everything was checked: 2 launches of 2 kernels",
        ]);
    }
}

#[test]
fn a_handler_that_was_registered_before_cuda_was_used() {
    is_checked("handler-before");
}

#[test]
fn a_handler_that_was_registered_after_cuda_was_used() {
    is_checked("handler-after");
}

#[test]
fn the_destructor_of_a_static_variable() {
    is_checked("static");
}

#[test]
fn the_destructor_of_a_thread_local_variable_of_main() {
    is_checked("thread-of-main");
}

#[test]
fn the_destructor_of_a_thread_local_variable_of_another_thread() {
    is_checked("other-thread");
}

/// Such functions run after the program has unregistered its code, and no GPU would run the kernel.
#[test]
fn a_function_that_runs_after_the_code_is_gone() {
    for ended in run_mode("fini") {
        assert!(!String::from_utf8_lossy(&ended.stdout).contains("cudaSuccess"));
        ended.expect_code(3).expect_stderr(&["`late`", "has unregistered"]);
    }
}
