//! A program that is killed at any moment, the hard way.

use std::collections::BTreeSet;
use std::time::Duration;

use super::observed::{Ended, Running, is_running};
use super::{Bench, Trial};
use warpsan_oracle::random::Random;

/// Kernels of the program, one after the other. Each has a race at its beginning.
const STEPS: usize = 16;
/// Turns of the loop in each kernel: the whole takes about half a second.
const ROUNDS: &str = "200000";

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

/// Kills it at so many moments.
pub(super) fn at_moments(bench: &Bench, count: usize, seed: u64) -> Trial {
    let mut trial = Trial::new("a program that is killed (kill -9)");
    let Some(whole) = trial.take(whole_time(bench)) else { return trial };
    let mut random = Random::new(seed);
    let mut moments = Vec::new();
    // A kill that comes too late is no kill; there are few of them.
    for _ in 0..2 * count {
        if moments.iter().filter(|moment| **moment != Moment::TooLate).count() == count {
            break;
        }
        let delay = Duration::from_nanos(random.below(whole.as_nanos() as u64));
        let moment = kill_after(bench, delay);
        let moment = moment.map_err(|message| format!("killed after {delay:?}: {message}"));
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

/// How long the program takes if nobody kills it.
fn whole_time(bench: &Bench) -> Result<Duration, String> {
    let mut running = bench.start(&[], &["steps", &STEPS.to_string(), ROUNDS])?;
    process_of(&mut running)?;
    let ended = running.end()?;
    ended.expect(1, 0..STEPS)?;
    Ok(ended.time)
}

/// The number that the program says first.
fn process_of(running: &mut Running) -> Result<u32, String> {
    running.wait_for("number of the process", |running| {
        let said = running.stdout();
        let number = said.lines().next().and_then(|line| line.strip_prefix("process "));
        Ok(number.filter(|_| said.contains('\n')).and_then(|number| number.parse().ok()))
    })
}

fn kill_after(bench: &Bench, delay: Duration) -> Result<Moment, String> {
    let mut running = bench.start(&[], &["steps", &STEPS.to_string(), ROUNDS])?;
    let process = process_of(&mut running)?;
    std::thread::sleep(delay);
    // SAFETY: sending a signal touches no memory of this process. The process is a child of the command,
    // which is still there or has ended in this moment.
    unsafe { libc::kill(process as libc::pid_t, libc::SIGKILL) };
    let ended = running.end()?;
    if is_running(process) {
        return Err("it is still there".to_string());
    }
    judge(&ended)
}

/// What the program said to have done has to be in the report. A launch that was begun is either there as a
/// whole, or as one that was cut off.
fn judge(ended: &Ended) -> Result<Moment, String> {
    let done: BTreeSet<usize> = ended.stdout.lines().filter_map(|line| line.parse().ok()).collect();
    let races = ended.races();
    if !races.is_superset(&done) {
        return Err(format!("races of {done:?} were found before, and {races:?} are reported"));
    }
    if done.len() == STEPS && ended.code == Some(1) {
        return Ok(Moment::TooLate);
    }
    let is_cut_off = ended.not_covered().contains("cut off");
    let was_in_line = ended.not_covered().contains("in line");
    // A failure is passed on, unless it may be for lack of support.
    let is_unfinished = is_cut_off || was_in_line;
    let code = if races.is_empty() && is_unfinished { 3 } else { 128 + libc::SIGKILL };
    ended.expect(code, races.iter().copied())?;
    let begun = ended.summary("launches") as usize;
    if begun > done.len() + 1 || races.len() > begun {
        return Err(format!("{begun} launches are said to have begun, {} had ended", done.len()));
    }
    if ended.summary("unended_processes") != 1 {
        return Err("the report does not say that the process did not end by itself".to_string());
    }
    Ok(if is_cut_off { Moment::InKernel } else { Moment::OnHost })
}
