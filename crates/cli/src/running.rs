//! How kernels are run: the engine, the schedule, and how long a launch may take.

use crate::engine::EngineChoice;
use crate::output_file;
use anyhow::{Context, bail};
use std::path::{Path, PathBuf};
use std::time::Duration;
use warpsan_runtime::{Engine, Options, Policy, Schedule, ScheduleError};

/// More cores than any machine that this runs on has use for.
const MOST_JOBS: usize = 1024;

/// The schedule where none is chosen.
const DEFAULT_SCHEDULE: &str = "random";

/// The heading of these flags in help texts.
pub(crate) const HEADING: &str = "How kernels run";

/// Flags of all commands that run kernels.
#[derive(Debug, clap::Args)]
#[group(skip)]
#[command(next_help_heading = HEADING)]
pub(crate) struct Args {
    /// What runs the kernels: `cpu`, `gpu`, or `auto`: for programs (`run`) the GPU, if there is one, under a detector
    /// that works on it (iguard, none), and else the CPU; for files with kernels (`check`) the CPU
    #[arg(
        long,
        value_name = "ENGINE",
        value_enum,
        default_value_t = EngineChoice::Auto,
        hide_possible_values = true
    )]
    engine: EngineChoice,

    /// Determines every choice that is left to chance: the same seed gives the same report [default: 1]
    #[arg(long, value_name = "N")]
    seed: Option<u64>,

    /// How warps take turns: `random`, `round-robin`, `pct:DEPTH` (few changes of priority, at
    /// moments that the seed picks), `replay:…` (a stored schedule), or `@FILE` (what
    /// --record-schedule wrote)
    #[arg(long, value_name = "SCHEDULE", default_value = DEFAULT_SCHEDULE, value_parser = parse_schedule)]
    schedule: String,

    /// Write the schedule of each launch to a file, one line for each, for `--schedule @FILE`; such
    /// launches run on one core
    #[arg(long, value_name = "FILE")]
    record_schedule: Option<PathBuf>,

    /// Cores to use; results do not depend on it [default: all]
    #[arg(short = 'j', long, value_name = "N", value_parser = parse_jobs)]
    jobs: Option<usize>,

    /// Give a launch up after so many instructions of a warp
    #[arg(
        long,
        value_name = "N",
        default_value_t = Options::default().max_instructions,
        value_parser = parse_instructions
    )]
    max_instructions: u64,
}

impl Args {
    /// The options of a session that runs kernels as the flags say.
    pub(crate) fn options(&self) -> anyhow::Result<Options> {
        let mut options = Options {
            policy: self.schedule.clone(),
            record_schedule: self.record_schedule.as_deref().map(absolute).transpose()?,
            max_instructions: self.max_instructions,
            jobs: self.jobs(),
            ..Options::default()
        };
        options.seed = self.seed.unwrap_or(options.seed);
        if let Some(file) = self.schedule.strip_prefix('@') {
            // The program that is run may change its folder.
            options.policy = format!("@{}", absolute(Path::new(file))?.display());
        }
        let schedules = options.schedules()?;
        let taken_from = options.policy.strip_prefix('@').map(Path::new);
        if taken_from.is_some() && taken_from == options.record_schedule.as_deref() {
            bail!("--record-schedule would overwrite the schedules that --schedule takes");
        }
        let own = schedules.first().map_or(options.seed, |schedule| schedule.seed);
        if let Some(seed) = self.seed.filter(|seed| *seed != own && !self.is_stored()) {
            bail!("--seed {seed} and --schedule {} say different seeds", self.schedule);
        }
        options.seed = own;
        Ok(options)
    }

    /// Whether each launch has a stored schedule of its own.
    pub(crate) fn is_stored(&self) -> bool {
        self.schedule.starts_with('@')
    }

    /// Whether schedules are stored, or taken from a file.
    pub(crate) fn uses_schedule_file(&self) -> bool {
        self.is_stored() || self.record_schedule.is_some()
    }

    /// The file that schedules are stored in, which is emptied, so that a wrong path is found at
    /// once.
    pub(crate) fn start_schedule_file(&self, inputs: &[&Path]) -> anyhow::Result<()> {
        if let Some(path) = &self.record_schedule {
            let stored = self.schedule.strip_prefix('@').map(Path::new);
            let inputs: Vec<&Path> = inputs.iter().copied().chain(stored).collect();
            output_file::refuse_inputs(path, &inputs)?;
            let unwritten = || format!("cannot write schedules to {}", path.display());
            std::fs::File::create(path).with_context(unwritten)?;
        }
        Ok(())
    }

    /// The file that schedules are stored in.
    pub(crate) fn schedule_file(&self) -> Option<&Path> {
        self.record_schedule.as_deref()
    }

    /// The cores to use.
    pub(crate) fn jobs(&self) -> usize {
        self.jobs.unwrap_or_else(|| Options::default().jobs)
    }

    /// The engine of a program that is run. A detector of the host gets from the CPU engine what it would get from a GPU,
    /// and much sooner.
    pub(crate) fn engine_for_program(
        &self,
        detection: &crate::detection::Args,
        is_recorded: bool,
    ) -> anyhow::Result<Engine> {
        self.engine.for_program(self.needs_cpu(), detection.checks_on_host(is_recorded))
    }

    /// The flag that only the CPU engine has. Only its schedules can be chosen.
    fn needs_cpu(&self) -> Option<&'static str> {
        match () {
            () if self.record_schedule.is_some() => Some("--record-schedule"),
            () if self.schedule != DEFAULT_SCHEDULE => Some("--schedule"),
            () => None,
        }
    }

    /// The engine of a command that launches kernels by itself.
    pub(crate) fn engine_without_program(&self) -> anyhow::Result<Engine> {
        self.engine.without_program(self.needs_cpu())
    }

    /// The flags that give the schedule of a seed again. A GPU has none to be repeated: what it found is shown by the CPU engine.
    pub(crate) fn flags_to_repeat(&self, seed: u64) -> String {
        match self.schedule.as_str() {
            DEFAULT_SCHEDULE => format!("--seed {seed}"),
            schedule => match schedule.parse::<Schedule>() {
                Ok(Schedule { policy: Policy::Replay(_), .. }) | Err(_) => {
                    format!("--schedule {schedule}")
                }
                Ok(_) => format!("--seed {seed} --schedule {schedule}"),
            },
        }
    }
}

/// A path that stays right when the program changes its folder.
pub(crate) fn absolute(file: &Path) -> anyhow::Result<PathBuf> {
    std::path::absolute(file).with_context(|| format!("cannot find {}", file.display()))
}

/// A flag whose value cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum WrongFlag {
    #[error("name the file behind the @")]
    NoScheduleFile,
    #[error(transparent)]
    Schedule(#[from] ScheduleError),
    #[error("it is no number from 1 to {}", MOST_JOBS)]
    Jobs,
    #[error("it is no number of instructions")]
    Instructions,
    #[error("`{0}` is not a number of seconds")]
    Seconds(String),
    #[error("`{0}` is not a time to wait")]
    Time(String),
    #[error("`{0}` is no size; write a number of bytes, as in 512M or 4G")]
    Size(String),
}

/// A schedule that reads. A file with schedules is read when it is used.
fn parse_schedule(text: &str) -> Result<String, WrongFlag> {
    match text.strip_prefix('@') {
        Some("") => return Err(WrongFlag::NoScheduleFile),
        Some(_) => {}
        None => {
            let options = Options { policy: text.to_string(), ..Options::default() };
            options.schedule()?;
        }
    }
    Ok(text.to_string())
}

fn parse_jobs(text: &str) -> Result<usize, WrongFlag> {
    match text.parse() {
        Ok(jobs) if (1..=MOST_JOBS).contains(&jobs) => Ok(jobs),
        _ => Err(WrongFlag::Jobs),
    }
}

fn parse_instructions(text: &str) -> Result<u64, WrongFlag> {
    match text.parse() {
        Ok(count @ 1..) => Ok(count),
        _ => Err(WrongFlag::Instructions),
    }
}

/// A time that is neither negative nor endless; parts of a second are allowed.
pub(crate) fn parse_seconds(text: &str) -> Result<Duration, WrongFlag> {
    let seconds: f64 = text.parse().map_err(|_| WrongFlag::Seconds(text.to_string()))?;
    match Duration::try_from_secs_f64(seconds) {
        Ok(limit) if !limit.is_zero() => Ok(limit),
        _ => Err(WrongFlag::Time(text.to_string())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Parser;

    #[derive(Debug, Parser)]
    struct Flags {
        #[command(flatten)]
        args: Args,
    }

    fn parsed(flags: &[&str]) -> Args {
        Flags::try_parse_from([&["x"], flags].concat()).expect("the flags read").args
    }

    #[test]
    fn times_are_positive_numbers() {
        assert_eq!(parse_seconds("2"), Ok(Duration::from_secs(2)));
        assert_eq!(parse_seconds("0.5"), Ok(Duration::from_millis(500)));
        for wrong in ["", "few", "-1", "0", "inf", "NaN"] {
            assert!(parse_seconds(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn the_flags_that_repeat_a_run_give_the_same_options() {
        for flags in [
            &["--seed", "7"][..],
            &["--schedule", "round-robin", "--seed", "3"],
            &["--schedule", "pct:4"],
            &["--schedule", "pct:4:9"],
            &["--schedule", "random:5"],
            &["--schedule", "replay:2:0.0.0x5"],
        ] {
            let args = parsed(flags);
            let options = args.options().expect("options");
            let repeat = args.flags_to_repeat(options.seed);
            let again = parsed(&repeat.split(' ').collect::<Vec<_>>());
            assert_eq!(again.options().expect("options"), options, "{repeat}");
        }
    }

    #[test]
    fn two_different_seeds_are_refused() {
        let options = parsed(&["--seed", "1", "--schedule", "random:2"]).options();
        let error = options.expect_err("two seeds").to_string();
        assert!(error.contains("random:2") && error.contains("--seed 1"), "{error}");
    }
}
