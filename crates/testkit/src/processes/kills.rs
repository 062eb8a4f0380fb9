//! A program that is killed at any moment, the hard way.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use anyhow::Context;

use super::observed::{Ended, Running};
use super::{Bench, Trial};
use crate::limited::is_running;
use warpsan_oracle::random::Random;

/// Kernels of the program, one after the other. Each has a race at its beginning.
const STEPS: usize = 16;
/// Turns of the loop in each kernel: the whole takes about half a second.
const ROUNDS: &str = "200000";

/// Flags that change nothing here, and that are needed to do the same again.
const FLAGS: [&str; 2] = ["--launch-count", "31"];

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

/// A kernel, and a part of the time that a kernel takes: a machine that is busy now and not later moves all points alike.
#[derive(Clone, Copy, Debug)]
struct Point {
    done: usize,
    delay: Duration,
}

impl Point {
    fn random(random: &mut Random, of_kernel: Duration) -> Point {
        let done = random.below(STEPS as u64) as usize;
        let delay = Duration::from_nanos(random.below(of_kernel.as_nanos().max(1) as u64));
        Point { done, delay }
    }
}

/// Tries all points, so many at a time. What went wrong names its point.
fn try_all<T: Send>(
    points: &[Point],
    jobs: usize,
    attempt: impl Fn(Point) -> anyhow::Result<T> + Sync,
) -> Vec<anyhow::Result<T>> {
    let next = AtomicUsize::new(0);
    let work = || {
        let mut results = Vec::new();
        loop {
            let number = next.fetch_add(1, Ordering::Relaxed);
            let Some(&point) = points.get(number) else { return results };
            let Point { done, delay } = point;
            let result = attempt(point);
            results.push(result.with_context(|| format!("killed {delay:?} after {done} kernels")));
        }
    };
    std::thread::scope(|scope| {
        let workers: Vec<_> = (0..jobs.max(1)).map(|_| scope.spawn(work)).collect();
        let join = |worker: std::thread::ScopedJoinHandle<'_, _>| {
            worker.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
        };
        workers.into_iter().flat_map(join).collect()
    })
}

/// Kills the program at so many points.
pub(super) fn at_moments(bench: &Bench, count: usize, seed: u64, jobs: usize) -> Trial {
    let mut trial = Trial::new("a program that is killed (kill -9)");
    let Some(whole) = trial.take(whole_time(bench)) else { return trial };
    let of_kernel = whole / STEPS as u32;
    let mut random = Random::new(seed);
    let mut moments = Vec::new();
    // A kill that comes too late is no kill; only those in the last kernel can.
    for _ in 0..4 {
        let is_kill = |moment: &&Moment| **moment != Moment::TooLate;
        let missing = count - moments.iter().filter(is_kill).count();
        let points: Vec<_> = (0..missing).map(|_| Point::random(&mut random, of_kernel)).collect();
        for moment in try_all(&points, jobs, |point| kill_after(bench, point)) {
            moments.extend(trial.take(moment));
        }
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
fn kill_after(bench: &Bench, Point { done, delay }: Point) -> anyhow::Result<Moment> {
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

/// Kills the command itself at so many points: the races that were found are in what it leaves behind, and nothing is
/// called clean.
pub(super) fn of_command(bench: &Bench, count: usize, seed: u64, jobs: usize) -> Trial {
    let mut trial = Trial::new("a command that is killed (kill -9)");
    let Some(whole) = trial.take(whole_time(bench)) else { return trial };
    let of_kernel = whole / STEPS as u32;
    trial.take(flags_are_kept(bench));
    let mut random = Random::new(seed);
    let points: Vec<_> = (0..count).map(|_| Point::random(&mut random, of_kernel)).collect();
    let mut too_late = 0;
    for killed in try_all(&points, jobs, |point| kill_command(bench, point)) {
        too_late += usize::from(trial.take(killed) == Some(Moment::TooLate));
    }
    trial.remark = format!("{} in time, {too_late} when it had ended", count - too_late);
    if 2 * too_late > count {
        trial.wrong.push("most of the kills came too late".to_string());
    }
    trial
}

/// The command that shows a race again has the flags that it was found with.
fn flags_are_kept(bench: &Bench) -> anyhow::Result<()> {
    let mut running = bench.start(&FLAGS, &["steps", &STEPS.to_string(), ROUNDS])?;
    let process = process_of(&mut running)?;
    running.wait_for("kernel that is done", |running| {
        Ok((running.stdout().matches('\n').count() > 1).then_some(()))
    })?;
    let text = running.kill_command_and_read(bench, process)?;
    anyhow::ensure!(text.contains(&FLAGS.join(" ")), "the flags are not in `{text}`");
    Ok(())
}

fn kill_command(bench: &Bench, Point { done, delay }: Point) -> anyhow::Result<Moment> {
    let mut running = bench.start(&[], &["steps", &STEPS.to_string(), ROUNDS])?;
    let process = process_of(&mut running)?;
    running.wait_for("kernel that is done", |running| {
        Ok((running.stdout().matches('\n').count() > done).then_some(()))
    })?;
    std::thread::sleep(delay);
    let Some(ended) = running.kill_command(bench, process)? else {
        return Ok(Moment::TooLate);
    };
    let said: BTreeSet<usize> = ended.stdout.lines().filter_map(|line| line.parse().ok()).collect();
    let races = ended.races();
    anyhow::ensure!(
        races.is_superset(&said),
        "races of {said:?} were found, and {races:?} are there"
    );
    let code = if races.is_empty() { 3 } else { 1 };
    ended.expect(code, races.iter().copied())?;
    ended.expect_not_covered("after its warpsan was killed")?;
    Ok(Moment::InKernel)
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
    // Before its first work a process has nothing to say.
    if ended.summary("unended_processes") != 1 && begun > 0 {
        anyhow::bail!("the report does not say that the process did not end by itself");
    }
    Ok(if is_cut_off { Moment::InKernel } else { Moment::OnHost })
}
