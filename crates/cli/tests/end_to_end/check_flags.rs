//! Flags of `warpsan check` that say how kernels run and what is shown of them.

use std::path::PathBuf;

use serde_json::Value;

use crate::support::command::{Ended, run, unique_number, warpsan};
use crate::support::fresh_folder;

/// A kernel that adds 1 to each number, and one that never ends.
const PTX: &str = "\
.version 8.0
.target sm_90
.address_size 64
.visible .entry increment(.param .u64 numbers)
{
.reg .b64 %rd<4>;
.reg .b32 %r<4>;
ld.param.u64 %rd1, [numbers];
mov.u32 %r1, %tid.x;
mul.wide.u32 %rd2, %r1, 4;
add.u64 %rd3, %rd1, %rd2;
ld.global.u32 %r2, [%rd3];
add.u32 %r3, %r2, 1;
st.global.u32 [%rd3], %r3;
ret;
}
.visible .entry endless()
{
.reg .b32 %r<2>;
mov.u32 %r1, 0;
again:
add.u32 %r1, %r1, 1;
bra again;
}
";

/// A file with the kernels and these launches.
pub(crate) fn kernels(launches: &[&str]) -> PathBuf {
    let path = fresh_folder(&format!("flags-{}", unique_number())).join("kernels.ptx");
    let launches: String =
        launches.iter().map(|launch| format!("//@ launch: {launch}\n")).collect();
    std::fs::write(&path, launches + PTX).expect("a file can be written");
    path
}

fn check(launches: &[&str], flags: &[&str]) -> Ended {
    run(warpsan(["check"]).args(flags).arg(kernels(launches)))
}

fn text(ended: &Ended) -> String {
    String::from_utf8_lossy(&ended.stdout).into_owned()
}

const INCREMENT: &str = "increment<<<1, 100>>>(numbers: u32[100] = iota)";

#[test]
fn the_engine_is_chosen_by_name() {
    for engine in ["cpu", "auto"] {
        let flags = ["--engine", engine, "--detector", "none", "--format", "json"];
        let ended = check(&[INCREMENT], &flags);
        let report: Value = serde_json::from_slice(&ended.expect_code(0).stdout).expect("JSON");
        assert_eq!(report["summary"]["engine"], "cpu");
        assert_eq!(report["summary"]["launches"], 1);
    }
    for command in ["check", "run"] {
        let flags = [command, "--engine", "gpu", "x.ptx"];
        run(&mut warpsan(flags)).expect_code(2).expect_stderr(&["needs a GPU"]);
        let flags = [command, "--engine", "steam", "x.ptx"];
        run(&mut warpsan(flags)).expect_code(2).expect_stderr(&["steam", "cpu"]);
    }
}

#[test]
fn buffers_are_printed_after_their_launch() {
    let ended = check(&[INCREMENT], &["--print", "numbers"]);
    let shown = text(ended.expect_code(0));
    assert!(shown.starts_with("numbers: u32[100] after launch 0 of `increment`\n  [0] 1 2 3 4 "));
    assert!(
        shown.contains("  [56] 57 58 59 60 61 62 63 64\n  and 36 more, which --print-all shows\n")
    );
    assert!(!shown.contains("[64]"), "{shown}");
    let ended = check(&[INCREMENT], &["--print", "all", "--print-all"]);
    let shown = text(ended.expect_code(0));
    assert!(shown.contains("  [96] 97 98 99 100\n"), "{shown}");
    assert!(!shown.contains("more, which"), "{shown}");
}

#[test]
fn printed_buffers_do_not_spoil_json() {
    let ended = check(&[INCREMENT], &["--print", "all", "--format", "json"]);
    let report: Value = serde_json::from_slice(&ended.expect_code(0).stdout).expect("JSON");
    assert_eq!(report["summary"]["launches"], 1);
    ended.expect_stderr(&["numbers: u32[100] after launch 0 of `increment`"]);
}

#[test]
fn a_buffer_that_no_launch_has_is_refused() {
    let ended = check(&[INCREMENT], &["--print", "number"]);
    ended.expect_code(2).expect_stderr(&["--print number", "numbers"]);
    check(&["endless<<<1, 1>>>()"], &["--print", "x"])
        .expect_code(2)
        .expect_stderr(&["no buffers"]);
    check(&[INCREMENT], &["--print-all"]).expect_code(2).expect_stderr(&["--print"]);
}

#[test]
fn values_of_a_launch_line_reach_the_kernel() {
    for (values, first) in
        [("zero", "1 1 1 1"), ("iota", "1 2 3 4"), ("41", "42 42 42 42"), ("0xffffffff", "0 0 0 0")]
    {
        let launch = format!("increment<<<1, 4>>>(numbers: u32[4] = {values})");
        let shown = text(check(&[&launch], &["--print", "numbers"]).expect_code(0));
        assert!(shown.contains(&format!("  [0] {first}\n")), "{values}: {shown}");
    }
    let random = |seed: &str| {
        let launch = format!("increment<<<1, 4>>>(numbers: u32[4] = random({seed}))");
        text(check(&[&launch], &["--print", "numbers"]).expect_code(0))
    };
    assert_eq!(random("5"), random("5"));
    assert_ne!(random("5"), random("6"));
}

#[test]
fn a_launch_that_cannot_be_is_refused() {
    let numbers = "(numbers: u32[4])";
    for (extents, says) in [
        ("3, 1, cluster=2", "no multiple"),
        ("32, 1, cluster=32", "clusters of 32 blocks"),
        ("1, 2048", "2048 threads"),
        ("1, 1, 1000000", "bytes of shared memory"),
        ("1, 1, cluster=none", "`none`"),
        ("1, 1, together", "`together`"),
    ] {
        let ended = check(&[&format!("increment<<<{extents}>>>{numbers}")], &[]);
        ended.expect_code(2).expect_stderr(&["kernels.ptx:1", says]);
    }
}

#[test]
fn a_launch_that_takes_too_long_is_given_up() {
    let ended =
        check(&["endless<<<1, 32>>>()", INCREMENT], &["--timeout", "0.3", "--print", "all"]);
    let shown = text(ended.expect_code(3));
    assert!(shown.contains("did not end within 0.3 seconds"), "{shown}");
    assert!(shown.contains("kernel `endless`") && shown.contains("--timeout"), "{shown}");
    assert!(shown.contains("[0] 1 2 3"), "the next launch runs:\n{shown}");
    let ended = check(&["endless<<<1, 32>>>()"], &["--max-instructions", "5000"]);
    let shown = text(ended.expect_code(3));
    assert!(shown.contains("did not end within 5000 warp instructions"), "{shown}");
    assert!(shown.contains("kernel `endless`") && shown.contains("--max-instructions"), "{shown}");
}

#[test]
fn wrong_numbers_are_refused() {
    for (flag, value, says) in [
        ("--jobs", "0", "1 to 1024"),
        ("--jobs", "many", "1 to 1024"),
        ("--jobs", "5000", "1 to 1024"),
        ("--timeout", "0", "not a time"),
        ("--timeout", "soon", "not a number of seconds"),
        ("--max-instructions", "0", "no number of instructions"),
        ("--max-instructions", "few", "no number of instructions"),
        ("--seed", "-1", "-1"),
    ] {
        for command in ["check", "run"] {
            let asked = format!("{flag}={value}");
            run(&mut warpsan([command, &asked, "x.ptx"]))
                .expect_code(2)
                .expect_stderr(&[flag, says]);
        }
    }
}
