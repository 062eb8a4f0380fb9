//! A program that is killed at any moment, the hard way.

use std::collections::BTreeSet;
use std::time::Duration;

use anyhow::Context;

use super::observed::{Ended, Running, is_running};
use super::{Bench, Trial};
use warpsan_oracle::random::Random;

/// Kernels of the program, one after the other. Each has a race at its beginning.
const STEPS: usize = 16;
/// Turns of the loop in each kernel: the whole takes about half a second.
const ROUNDS: &str = "200000";

/// How the report ends its note about work that was queued when the program was killed.
const QUEUED_WORK: &str = "when the process ended without warning";

/// When a program was killed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Moment {
    /// A launch was cut off.
    InKernel,
    /// Between two launches.
    OnHost,
    /// It had ended before.
    TooLate,
}

/// Kills it at so many moments. A moment is a kernel and a part of the time that a kernel takes: a machine that is busy
/// now and not later moves all moments alike.
pub(super) fn at_moments(bench: &Bench, count: usize, seed: u64) -> Trial {
    let mut trial = Trial::new("a program that is killed (kill -9)");
    let Some(whole) = trial.take(whole_time(bench)) else { return trial };
    let of_kernel = whole / STEPS as u32;
    let mut random = Random::new(seed);
    let mut moments = Vec::new();
    // A kill that comes too late is no kill; only those in the last kernel can.
    for _ in 0..4 * count {
        if moments.iter().filter(|moment| **moment != Moment::TooLate).count() == count {
            break;
        }
        let done = random.below(STEPS as u64) as usize;
        let delay = Duration::from_nanos(random.below(of_kernel.as_nanos() as u64));
        let moment = kill_after(bench, done, delay);
        let moment = moment.with_context(|| format!("killed {delay:?} after kernel {done}"));
        moments.extend(trial.take(moment));
    }
    let of = |wanted| moments.iter().filter(|moment| **moment == wanted).count();
    let (in_kernel, on_host, too_late) =
        (of(Moment::InKernel), of(Moment::OnHost), of(Moment::TooLate));
    trial.remark = format!("{in_kernel} in a kernel, {on_host} on the host, {too_late} too late");
    if in_kernel + on_host < count {
        trial.wrong.push(format!("only {} of {count} kills were any", in_kernel + on_host));
    }
    if 2 * in_kernel < count {
        trial.wrong.push("most of the kills did not come in a kernel".to_string());
    }
    trial
}

/// How long the kernels take if nobody kills the program.
fn whole_time(bench: &Bench) -> anyhow::Result<Duration> {
    let mut running = bench.start(&[], &["steps", &STEPS.to_string(), ROUNDS])?;
    process_of(&mut running)?;
    let ended = running.end()?;
    ended.expect(1, 0..STEPS)?;
    Ok(ended.time)
}

/// The number that the program says first.
fn process_of(running: &mut Running) -> anyhow::Result<u32> {
    running.wait_for("number of the process", |running| {
        let said = running.stdout();
        let number = said.lines().next().and_then(|line| line.strip_prefix("process "));
        Ok(number.filter(|_| said.contains('\n')).and_then(|number| number.parse().ok()))
    })
}

/// Kills the program so long after it has said that so many kernels are done.
fn kill_after(bench: &Bench, done: usize, delay: Duration) -> anyhow::Result<Moment> {
    let mut running = bench.start(&[], &["steps", &STEPS.to_string(), ROUNDS])?;
    let process = process_of(&mut running)?;
    running.wait_for("kernel that is done", |running| {
        let lines = running.stdout().matches('\n').count();
        Ok((lines > done).then_some(()))
    })?;
    std::thread::sleep(delay);
    // SAFETY: sending a signal touches no memory of this process. The process is a child of the command,
    // which is still there or has ended in this moment.
    unsafe { libc::kill(process as libc::pid_t, libc::SIGKILL) };
    let ended = running.end()?;
    if is_running(process) {
        anyhow::bail!("it is still there");
    }
    judge(&ended)
}

/// Kills the command itself at so many moments: the races that were found are in what it leaves behind, and nothing is
/// called clean.
pub(super) fn of_command(bench: &Bench, count: usize, seed: u64) -> Trial {
    let mut trial = Trial::new("a command that is killed (kill -9)");
    let mut random = Random::new(seed);
    for _ in 0..count {
        let done = random.below(STEPS as u64) as usize;
        let killed = kill_command(bench, done);
        trial.take(killed.with_context(|| format!("killed after kernel {done}")));
    }
    trial
}

fn kill_command(bench: &Bench, done: usize) -> anyhow::Result<()> {
    let mut running = bench.start(&[], &["steps", &STEPS.to_string(), ROUNDS])?;
    let process = process_of(&mut running)?;
    running.wait_for("kernel that is done", |running| {
        Ok((running.stdout().matches('\n').count() > done).then_some(()))
    })?;
    let ended = running.kill_command(bench, process)?;
    let said: BTreeSet<usize> = ended.stdout.lines().filter_map(|line| line.parse().ok()).collect();
    let races = ended.races();
    anyhow::ensure!(
        races.is_superset(&said),
        "races of {said:?} were found, and {races:?} are there"
    );
    let code = if races.is_empty() { 3 } else { 1 };
    ended.expect(code, races.iter().copied())?;
    ended.expect_not_covered("after its warpsan was killed")
}

/// What the program said to have done has to be in the report. A launch that was begun is either there as a
/// whole, or as one that was cut off.
fn judge(ended: &Ended) -> anyhow::Result<Moment> {
    let done: BTreeSet<usize> = ended.stdout.lines().filter_map(|line| line.parse().ok()).collect();
    let races = ended.races();
    if !races.is_superset(&done) {
        anyhow::bail!("races of {done:?} were found before, and {races:?} are reported");
    }
    if done.len() == STEPS && ended.code == Some(1) {
        return Ok(Moment::TooLate);
    }
    let is_cut_off = ended.not_covered().contains("cut off");
    let had_queued_work = ended.not_covered().contains(QUEUED_WORK);
    // A failure is passed on, unless it may be for lack of support.
    let is_unfinished = is_cut_off || had_queued_work;
    let code = if races.is_empty() && is_unfinished { 3 } else { 128 + libc::SIGKILL };
    ended.expect(code, races.iter().copied())?;
    let begun = ended.summary("launches") as usize;
    if begun > done.len() + 1 || races.len() > begun {
        anyhow::bail!("{begun} launches are said to have begun, {} had ended", done.len());
    }
    if ended.summary("unended_processes") != 1 {
        anyhow::bail!("the report does not say that the process did not end by itself");
    }
    Ok(if is_cut_off { Moment::InKernel } else { Moment::OnHost })
}
