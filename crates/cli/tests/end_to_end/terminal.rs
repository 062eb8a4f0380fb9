//! Progress of long launches: on a terminal, and nowhere else.

use std::fs::File;
use std::io::Read;
use std::os::fd::{FromRawFd, OwnedFd};
use std::process::{Command, Stdio};

use crate::check_flags::kernels;
use crate::support::build::executable;
use crate::support::command::{run, warpsan};
use crate::support::{fresh_folder, program};

const LAUNCH: &str = "endless<<<4, 32>>>()";
const FLAGS: [&str; 3] = ["check", "--timeout", "1.5"];

/// Both ends of a terminal that has no window.
fn terminal() -> (File, OwnedFd) {
    let (mut ours, mut theirs) = (0, 0);
    let size = libc::winsize { ws_row: 24, ws_col: 120, ws_xpixel: 0, ws_ypixel: 0 };
    let (no_name, no_settings) = (std::ptr::null_mut(), std::ptr::null());
    // SAFETY: the numbers are written to variables of this function, and the size is read only.
    let opened =
        unsafe { libc::openpty(&mut ours, &mut theirs, no_name, no_settings, &raw const size) };
    assert_eq!(opened, 0, "a terminal can be made: {}", std::io::Error::last_os_error());
    // SAFETY: both descriptors were made just now and belong to nobody else.
    unsafe { (File::from_raw_fd(ours), OwnedFd::from_raw_fd(theirs)) }
}

/// What a check shows on a terminal, as standard error.
fn on_terminal(flags: &[&str]) -> String {
    let mut command = warpsan(FLAGS);
    command.args(flags).arg(kernels(&[LAUNCH]));
    shown_by(command)
}

/// What a command that leaves something unchecked shows on a terminal.
fn shown_by(mut command: Command) -> String {
    let (mut ours, theirs) = terminal();
    command.stdout(Stdio::null()).stderr(theirs);
    command.env("TERM", "xterm").env_remove("NO_COLOR");
    let mut child = command.spawn().expect("warpsan starts");
    // The command holds the other end, too; only the child's may stay open.
    drop(command);
    let mut shown = Vec::new();
    let mut part = [0; 4096];
    // Reading fails when nobody has the other end any more.
    while let Ok(count @ 1..) = ours.read(&mut part) {
        shown.extend_from_slice(&part[..count]);
    }
    assert_eq!(child.wait().expect("warpsan ends").code(), Some(3));
    String::from_utf8_lossy(&shown).into_owned()
}

#[test]
fn a_terminal_shows_kernel_blocks_and_speed() {
    let shown = on_terminal(&[]);
    for part in ["endless [", "0 of 4 blocks", "million warp instructions/s"] {
        assert!(shown.contains(part), "`{part}` is missing in:\n{shown}");
    }
}

#[test]
fn quiet_shows_nothing() {
    assert_eq!(on_terminal(&["--quiet"]), "");
}

#[test]
fn a_file_is_no_terminal() {
    let ended = run(warpsan(FLAGS).arg(kernels(&[LAUNCH])));
    ended.expect_code(3);
    assert_eq!(ended.stderr, "");
}

#[test]
fn a_long_launch_of_a_program_gets_lines_on_a_terminal_only() {
    let program = executable(&program("unchecked.cu"), &fresh_folder("long-launch"));
    let run_spinning = |flags: &[&str]| {
        let mut command = warpsan(["run", "--timeout", "5"]);
        command.args(flags).arg("--").arg(&program).arg("spin");
        command
    };
    let shown = shown_by(run_spinning(&[]));
    // How soon the first line comes depends on what else the machine does.
    for part in ["warpsan: kernel `spin` runs for ", " s: 0 of 1 blocks, "] {
        assert!(shown.contains(part), "`{part}` is missing in:\n{shown}");
    }
    let shown = shown_by(run_spinning(&["--quiet"]));
    assert!(!shown.contains("runs for"), "{shown}");
    let ended = run(&mut run_spinning(&[]));
    assert!(!ended.expect_code(3).stderr.contains("runs for"), "{}", ended.stderr);
}
