//! Programs that do not end in good order, or not where they began.

use super::{Bench, Trial};
use crate::limited::is_running;

/// A kernel that writes to no memory; the program sees the error, and ends with a code of its own.
pub(super) fn fault(bench: &Bench) -> Trial {
    let mut trial = Trial::new("a kernel that faults");
    let checked = bench.run(&[], &["fault"]).and_then(|ended| {
        ended.expect(7, [0])?;
        ended.expect_not_covered("an illegal address")
    });
    trial.take(checked);
    trial
}

/// A program that is ended by a signal of its own.
pub(super) fn crash(bench: &Bench) -> Trial {
    let mut trial = Trial::new("a program that crashes");
    let ended = bench.run(&[], &["crash"]);
    trial.take(ended.and_then(|ended| ended.expect(128 + libc::SIGSEGV, [0])));
    trial
}

/// A program that never ends: its time is over, and so it is for all its processes.
pub(super) fn never(bench: &Bench) -> Trial {
    let mut trial = Trial::new("a program that never ends (--timeout)");
    let checked = bench.run(&["--timeout", "2"], &["never"]).and_then(|ended| {
        ended.expect(1, [0])?;
        ended.expect_not_covered("after 2 seconds")?;
        ended.expect_not_covered("wait_for_ever")?;
        let processes: Vec<u32> =
            ended.stdout.lines().filter_map(|line| line.parse().ok()).collect();
        if processes.len() != 2 {
            anyhow::bail!("the program has said `{}`", ended.stdout);
        }
        match processes.iter().find(|process| is_running(**process)) {
            Some(process) => anyhow::bail!("process {process} is still there"),
            None => Ok(()),
        }
    });
    trial.take(checked);
    trial
}

/// A program that becomes another one in the middle.
pub(super) fn exec(bench: &Bench) -> Trial {
    let mut trial = Trial::new("a program that calls exec");
    let checked = bench.run(&[], &["exec"]).and_then(|ended| {
        ended.expect(1, [0, 1])?;
        match ended.not_covered() {
            gaps if gaps.is_empty() => Ok(()),
            gaps => anyhow::bail!(gaps),
        }
    });
    trial.take(checked);
    trial
}

/// A process whose parent ends before it does.
pub(super) fn outlived(bench: &Bench) -> Trial {
    let mut trial = Trial::new("a process that outlives its parent");
    let checked = bench.run(&[], &["outlived"]).and_then(|ended| ended.expect(1, [3]));
    trial.take(checked);
    trial
}
