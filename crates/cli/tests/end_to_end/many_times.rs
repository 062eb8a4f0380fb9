//! A race that occurs very often is one report.

use serde_json::Value;

use crate::support::command::{start, warpsan};
use crate::support::fresh_folder;

/// The lanes of each warp write a word of their own block, again and again: every store races with
/// itself. That it also races with the one before is allowed here: that would be a second report.
const PTX: &str = "\
//@ launch: again<<<4, 32>>>(data: u32[4], rounds = 2600000)
.version 8.0
.target sm_90
.address_size 64
.visible .entry again(.param .u64 data, .param .u32 rounds)
{
.reg .pred %p<2>;
.reg .b64 %rd<4>;
.reg .b32 %r<4>;
ld.param.u64 %rd1, [data];
ld.param.u32 %r1, [rounds];
mov.u32 %r2, %tid.x;
mov.u32 %r3, %ctaid.x;
mul.wide.u32 %rd2, %r3, 4;
add.u64 %rd3, %rd1, %rd2;
loop:
st.global.u32 [%rd3], %r2;
sub.u32 %r1, %r1, 1;
setp.ne.u32 %p1, %r1, 0;
@%p1 bra loop;
ret;
}
";

/// Far less than ten million of anything.
const MOST_KILOBYTES: u64 = 400_000;

#[test]
fn ten_million_times_are_one_report_with_its_count() {
    let folder = fresh_folder("many-times");
    let file = folder.join("again.ptx");
    std::fs::write(&file, PTX).expect("a file can be written");
    let flags = ["check", "--warp-sync=allow", "--format", "json"];
    let mut running = start(warpsan(flags).arg(&file));
    let mut most = 0;
    running.wait_for("end", |running| {
        most = most.max(kilobytes(running.child.id()));
        running.child.try_wait().expect("a child can be waited for")
    });
    assert!((1000..MOST_KILOBYTES).contains(&most), "{most} kilobytes");
    let ended = running.end();
    let report: Value = serde_json::from_slice(&ended.expect_code(1).stdout).expect("JSON");
    let races = report["races"].as_array().expect("races");
    assert_eq!(races.len(), 1, "{races:#?}");
    assert!(races[0]["count"].as_u64() >= Some(10_000_000), "{races:#?}");
}

/// The most memory that a process has had so far; nothing if it has ended.
fn kilobytes(process: u32) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).unwrap_or_default();
    let most = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    most.and_then(|most| most.split_whitespace().next()?.parse().ok()).unwrap_or_default()
}
