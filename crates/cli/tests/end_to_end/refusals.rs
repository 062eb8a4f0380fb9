//! Calls that fail for a reason that is warpsan's and not the program's: whatever the program makes of the error, the
//! report names it, and the run is not called clean.

use crate::support::build::nvcc;
use crate::support::command::{Ended, run, warpsan};
use crate::support::{fresh_folder, program};
use std::path::PathBuf;
use std::sync::LazyLock;

fn built(name: &str, architecture: &[&str]) -> PathBuf {
    let output = fresh_folder(&format!("refusals-{name}")).join("refusals");
    let out = output.to_string_lossy();
    nvcc(&[architecture, &["-O3", "-o", &out]].concat(), &[&program("refusals.cu")]);
    output
}

/// The program with PTX, and with machine code alone; each is compiled once.
static WITH_PTX: LazyLock<PathBuf> = LazyLock::new(|| built("ptx", &["-arch=sm_90"]));
static WITHOUT_PTX: LazyLock<PathBuf> =
    LazyLock::new(|| built("machine-code", &["-gencode", "arch=compute_90,code=sm_90"]));

fn output(ended: &Ended) -> String {
    String::from_utf8_lossy(&ended.stdout).into_owned()
}

#[test]
fn variables_of_a_program_without_ptx() {
    for mode in ["to-symbol", "from-symbol", "symbol-address", "symbol-size"] {
        let ended = run(warpsan(["run", "--"]).arg(&*WITHOUT_PTX).arg(mode));
        ended.expect_code(3).expect_stderr(&["variable `variable`", "no PTX", "compile with"]);
        assert_eq!(output(&ended), format!("{mode}: cudaErrorNotSupported\n"));
        run(warpsan(["run", "--"]).arg(&*WITH_PTX).arg(mode)).expect_code(0);
    }
}

#[test]
fn a_library_that_cannot_be_read() {
    let ended = run(warpsan(["run", "--"]).arg(&*WITH_PTX).arg("library"));
    ended.expect_code(3).expect_stderr(&["the PTX cannot be read", "line 1", "loaded"]);
    assert_eq!(output(&ended), "load: cudaSuccess\nkernel: cudaErrorInvalidPtx\n");
}

#[test]
fn managed_memory_where_something_else_is_mapped() {
    let ended = run(warpsan(["run", "--"]).arg(&*WITH_PTX).arg("managed"));
    ended.expect_code(3).expect_stderr(&["its address range", "0x300000000000"]);
    assert_eq!(output(&ended), "managed: cudaErrorNotSupported\n");
}

/// CUDA has no limit for the product of the three dimensions. It takes minutes, so that time or instructions end it.
#[test]
fn a_grid_of_more_blocks_than_one_dimension_has_runs_and_can_be_ended() {
    let flags = ["run", "--max-instructions", "1000000", "--"];
    let ended = run(warpsan(flags).arg(&*WITH_PTX).arg("grid"));
    ended.expect_code(3).expect_stderr(&["did not end within 1000000", "kernel `few_blocks_work`"]);
    assert_eq!(output(&ended), "grid: cudaSuccess\nwaited: cudaErrorLaunchTimeout\n");
    let ended = run(warpsan(["run", "--timeout", "2", "--"]).arg(&*WITH_PTX).arg("grid"));
    ended.expect_code(3).expect_stderr(&["after 2 seconds", "kernel `few_blocks_work`"]);
    assert_eq!(output(&ended), "grid: cudaSuccess\n");
}

#[test]
fn a_grid_of_more_blocks_than_there_are_numbers() {
    let ended = run(warpsan(["run", "--"]).arg(&*WITH_PTX).arg("more-blocks"));
    ended.expect_code(3).expect_stderr(&["a grid of 8589803520 blocks", "few_blocks_work"]);
    assert_eq!(output(&ended), "more-blocks: cudaErrorNotSupported\n");
}
