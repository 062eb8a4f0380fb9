//! Mutated files, by a seed: traces (with right checksums where that is the point), fat binaries that are listed and
//! executed, PTX and schedules. Each is given to `warpsan` under limits of time and memory.
//!
//! What a mutation means is not always known: a trace with another address in it may be a right one. A case is *damaged*
//! only if no right file looks like it, and then code 0 is wrong. Of a fat binary, the program that loads it says
//! whether its kernel ran.

mod bytes;
mod case;
mod fat_binaries;
mod inputs;
mod ptx;
mod schedules;
mod trace_file;
mod traces;

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use warpsan_oracle::random::Random;

pub use crate::limited::{Ended, Limits};
pub use case::Case;
pub use inputs::Inputs;

/// The codes of warpsan itself.
const CODES: [i32; 4] = [0, 1, 2, 3];

/// What is wrong with a case.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Wrong {
    /// It ended by a signal, by a panic or with a code that warpsan does not have.
    Aborted(String),
    /// It took longer than the limit.
    Hung,
    /// It took more memory than the limit: so many bytes.
    TookTooMuch(u64),
    /// Code 0, though the file was damaged or the kernel in it did not run.
    CalledClean,
    /// It could not be started.
    NotStarted(String),
}

/// A case that went wrong.
#[derive(Debug)]
pub struct Failure {
    /// Which case.
    pub number: usize,
    /// What was done to the file.
    pub what: String,
    /// The arguments.
    pub arguments: Vec<String>,
    /// What is wrong.
    pub wrong: Wrong,
    /// The last words of the command.
    pub last_words: String,
    /// Where the file was kept.
    pub kept: Option<PathBuf>,
}

/// What came of all cases.
#[derive(Debug, Default)]
pub struct Outcome {
    /// How many cases there were.
    pub cases: usize,
    /// How many of them had code 0, 1, 2, 3 or another one.
    pub codes: [usize; 5],
    /// The longest time of a case that ended.
    pub longest: Duration,
    /// The most memory of a case, in bytes.
    pub most_memory: u64,
    /// What went wrong, by number.
    pub failures: Vec<Failure>,
}

/// Which cases are run, and how.
#[derive(Debug)]
pub struct Plan<'a> {
    /// The `warpsan` to run.
    pub warpsan: &'a Path,
    /// Determines all cases.
    pub seed: u64,
    /// Their numbers.
    pub numbers: std::ops::Range<usize>,
    /// What each may take.
    pub limits: Limits,
    /// Cases at the same time.
    pub jobs: usize,
    /// Files of cases that go wrong are kept here.
    pub keep: Option<&'a Path>,
}

/// The case of a number. The same seed, number and inputs make the same case.
pub fn case(inputs: &Inputs, seed: u64, number: usize) -> Case {
    let mut random = Random::new(seed ^ (number as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15));
    random.bits();
    let mut case = match random.below(10) {
        0..=3 => traces::case(inputs, &mut random),
        4 | 5 => fat_binaries::case(inputs, &mut random),
        6..=8 => ptx::case(inputs, &mut random),
        _ => schedules::case(inputs, &mut random),
    };
    case.number = number;
    case
}

/// Runs all cases of a plan. `observe` hears of each when it is over.
pub fn run(inputs: &Inputs, plan: &Plan<'_>, observe: impl Fn(usize) + Sync) -> Outcome {
    let next = AtomicUsize::new(plan.numbers.start);
    let work = || {
        let mut outcome = Outcome::default();
        loop {
            let number = next.fetch_add(1, Ordering::Relaxed);
            if number >= plan.numbers.end {
                return outcome;
            }
            outcome.take(&case(inputs, plan.seed, number), plan);
            observe(number);
        }
    };
    let mut all = std::thread::scope(|scope| {
        let workers: Vec<_> = (0..plan.jobs.max(1)).map(|_| scope.spawn(work)).collect();
        let mut all = Outcome::default();
        for worker in workers {
            match worker.join() {
                Ok(part) => all.add(part),
                Err(panic) => std::panic::resume_unwind(panic),
            }
        }
        all
    });
    all.failures.sort_by_key(|failure| failure.number);
    all
}

impl Outcome {
    fn take(&mut self, case: &Case, plan: &Plan<'_>) {
        self.cases += 1;
        let (wrong, last_words) = match case.run(plan.warpsan, plan.limits) {
            Ok(ended) => {
                self.longest = self.longest.max(ended.time);
                self.most_memory = self.most_memory.max(ended.memory);
                let code = ended.code.and_then(|code| usize::try_from(code).ok());
                self.codes[code.unwrap_or(4).min(4)] += 1;
                (judge(case, &ended, plan.limits), ended.last_words())
            }
            Err(error) => (Some(Wrong::NotStarted(error.to_string())), String::new()),
        };
        let Some(wrong) = wrong else { return };
        let kept = plan.keep.and_then(|folder| {
            let file = folder.join(format!("{}-{}-{}", plan.seed, case.number, case.file_name));
            std::fs::write(&file, &case.contents).ok().map(|()| file)
        });
        let (number, what, arguments) = (case.number, case.what.clone(), case.arguments.clone());
        self.failures.push(Failure { number, what, arguments, wrong, last_words, kept });
    }

    fn add(&mut self, part: Outcome) {
        self.cases += part.cases;
        self.codes.iter_mut().zip(part.codes).for_each(|(all, more)| *all += more);
        self.longest = self.longest.max(part.longest);
        self.most_memory = self.most_memory.max(part.most_memory);
        self.failures.extend(part.failures);
    }
}

/// What is wrong with the end of a case, if something is.
fn judge(case: &Case, ended: &Ended, limits: Limits) -> Option<Wrong> {
    if ended.memory > limits.memory {
        return Some(Wrong::TookTooMuch(ended.memory));
    }
    if ended.hung {
        return Some(Wrong::Hung);
    }
    let panicked = ended.stderr.contains("panicked at");
    match ended.code {
        None => Some(Wrong::Aborted(format!("signal {}", ended.signal.unwrap_or(0)))),
        Some(code) if panicked => Some(Wrong::Aborted(format!("a panic, code {code}"))),
        Some(code) if !CODES.contains(&code) && !case.other_codes.contains(&code) => {
            Some(Wrong::Aborted(format!("code {code}")))
        }
        Some(0) if case.damaged => Some(Wrong::CalledClean),
        Some(0) => {
            case.proof.filter(|proof| !ended.stdout.contains(proof)).map(|_| Wrong::CalledClean)
        }
        Some(_) => None,
    }
}

impl std::fmt::Display for Wrong {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Wrong::Aborted(how) => write!(f, "aborted by {how}"),
            Wrong::Hung => f.write_str("hung"),
            Wrong::TookTooMuch(bytes) => write!(f, "took {} MiB", bytes >> 20),
            Wrong::CalledClean => f.write_str("called clean"),
            Wrong::NotStarted(error) => write!(f, "not started: {error}"),
        }
    }
}

#[cfg(test)]
mod tests;
