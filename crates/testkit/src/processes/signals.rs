//! Signals, exceptions and cancelled threads: a program ends, or goes on, as it would without warpsan.

use super::observed::{Ended, Running};
use super::{Bench, Trial};
use anyhow::Context;

/// `SIGTERM` to the program, or to the command, while a kernel runs or a function of the host.
pub(super) fn terminated(bench: &Bench) -> Trial {
    let mut trial = Trial::new("a program that is told to end (SIGTERM)");
    for mode in ["stay", "stay-in-function"] {
        for is_for_command in [false, true] {
            trial.take(terminate(bench, mode, is_for_command));
        }
    }
    let ended = bench.run(&[], &["raise-in-function"]);
    trial.take(ended.and_then(|ended| ended.expect(128 + libc::SIGTERM, [0])));
    trial
}

fn terminate(bench: &Bench, mode: &str, is_for_command: bool) -> anyhow::Result<()> {
    let mut running = bench.start(&[], &[mode])?;
    let program: u32 = running.wait_for("number of the program", |running: &mut Running| {
        Ok(running.stdout().lines().next().and_then(|line| line.parse().ok()))
    })?;
    let process = if is_for_command { running.id() } else { program };
    let process = libc::pid_t::try_from(process).context("a number of a process")?;
    // SAFETY: sending a signal touches no memory of this process. Both processes are still there.
    unsafe { libc::kill(process, libc::SIGTERM) };
    running.end()?.expect(128 + libc::SIGTERM, [0])
}

/// An exception that a function of the host lets out ends in the program's own `terminate` handler.
pub(super) fn exception(bench: &Bench) -> Trial {
    let mut trial = Trial::new("a function of the host that throws");
    let checked = bench.run(&[], &["throws"]).and_then(|ended| {
        ended.expect(128 + libc::SIGABRT, [0])?;
        said(&ended, "terminated: nobody is above")
    });
    trial.take(checked);
    trial
}

/// A thread that is cancelled in a call of the system.
pub(super) fn cancelled(bench: &Bench) -> Trial {
    let mut trial = Trial::new("a thread that is cancelled");
    let ended = bench.run(&[], &["cancelled"]);
    trial.take(ended.and_then(|ended| ended.expect(1, [0])));
    trial
}

/// A main thread that leaves by `pthread_exit` while another one works. With CUDA's own threads such a process stays.
pub(super) fn main_leaves(bench: &Bench) -> Trial {
    let mut trial = Trial::new("a main thread that leaves");
    let ended = bench.run(&[], &["main-leaves"]);
    trial.take(ended.and_then(|ended| ended.expect(1, [0])));
    trial
}

/// `_exit` in the handler of a signal, at many moments.
pub(super) fn end_in_handler(bench: &Bench, count: usize) -> Trial {
    let mut trial = Trial::new("a handler that ends the process");
    for number in 0..count {
        let microseconds = (number * 7919 % 60_000 + 500).to_string();
        let checked = bench.run(&[], &["end-in-handler", &microseconds]).and_then(|ended| {
            let races = ended.races();
            let expected =
                [0, 1].into_iter().filter(|kernel| *kernel == 0 || races.contains(kernel));
            ended.expect(4, expected)
        });
        trial.take(checked);
    }
    trial
}

/// A signal that is ignored or blocked when the program is started stays so, and one that is not does, too.
pub(super) fn inherited(bench: &Bench) -> Trial {
    let mut trial = Trial::new("signals that a program inherits");
    for (script, expected) in [
        ("trap '' PIPE; exec \"$@\"", "ignored open"),
        ("trap - PIPE; exec \"$@\"", "default open"),
        ("exec env --block-signal=USR2 \"$@\"", "default blocked"),
    ] {
        // The command itself is started by the shell.
        let ended = bench.start_by_shell(script, &["inherited"]).and_then(Running::end);
        trial.take(ended.and_then(|ended| {
            ended.expect(1, [0])?;
            said(&ended, expected)
        }));
    }
    trial
}

/// A limit on the length of files that the shell has set ends neither the program nor the command, and hides nothing.
pub(super) fn short_files(bench: &Bench) -> Trial {
    let mut trial = Trial::new("files that may not be long (ulimit -f)");
    for limit in ["1000000", "400"] {
        let script = format!("ulimit -f {limit}; exec \"$@\"");
        let ended = bench.start_by_shell(&script, &["rank", "2"]).and_then(Running::end);
        trial.take(ended.and_then(|ended| ended.expect(1, [2])));
    }
    trial
}

/// What is in line when a program ends and cannot be done any more is in the report.
pub(super) fn left_work(bench: &Bench) -> Trial {
    let mut trial = Trial::new("a program that ends with work in line");
    let checked = bench.run(&[], &["leave-work"]).and_then(|ended| {
        ended.expect(1, [0, 1])?;
        ended.expect_not_covered("a function of the host that was queued")?;
        ended.expect_not_covered("a copy with the host's memory that was queued")
    });
    trial.take(checked);
    trial
}

fn said(ended: &Ended, expected: &str) -> anyhow::Result<()> {
    match ended.stdout.trim_end() {
        said if said == expected => Ok(()),
        said => anyhow::bail!("the program has said `{said}`, not `{expected}`"),
    }
}
