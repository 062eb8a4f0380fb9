//! The seeds of a run that explores schedules.

use crate::running;
use anyhow::bail;
use std::num::NonZeroU64;
use warpsan_report::Report;
use warpsan_runtime::Options;

/// Flags of commands that can try several seeds.
#[derive(Debug, clap::Args)]
#[group(skip)]
pub(crate) struct Args {
    /// Try N seeds, from --seed on, and report the races of all together, each with the first seed
    /// that shows it
    #[arg(long, value_name = "N", help_heading = running::HEADING)]
    explore: Option<NonZeroU64>,
}

/// Seeds that follow one another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Seeds {
    first: u64,
    count: u64,
}

impl Args {
    /// The seeds to try. `unsaid` is how many they are where nothing is said.
    pub(crate) fn seeds(
        &self,
        unsaid: u64,
        options: &Options,
        running: &running::Args,
    ) -> anyhow::Result<Seeds> {
        let count = self.explore.map_or(unsaid, NonZeroU64::get);
        if count > 1 {
            if running.uses_schedule_file() {
                bail!("a file of schedules is of one seed, and {count} are to be tried");
            }
            let other = Options { seed: options.seed.wrapping_add(1), ..options.clone() };
            if other.schedule()?.seed == options.schedule()?.seed {
                bail!(
                    "--schedule {} says one seed, and {count} are to be tried: leave the seed out, \
                     or give the first with --seed",
                    options.policy
                );
            }
        }
        Ok(Seeds { first: options.seed, count })
    }
}

impl Seeds {
    /// How many there are.
    pub(crate) fn count(self) -> u64 {
        self.count
    }

    /// The seed of this place, from 0.
    pub(crate) fn at(self, place: u64) -> Option<u64> {
        (place < self.count).then(|| self.first.wrapping_add(place))
    }

    /// All of them.
    pub(crate) fn iter(self) -> impl Iterator<Item = u64> {
        (0..self.count).map(move |place| self.first.wrapping_add(place))
    }

    /// Names the seeds that were tried in a report, if there were to be several.
    pub(crate) fn name_in(self, report: &mut Report, tried: u64) {
        if self.count > 1 {
            report.summary.seeds = self.iter().take(tried as usize).collect();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Parser;

    #[derive(Debug, Parser)]
    struct Flags {
        #[command(flatten)]
        seeds: Args,
        #[command(flatten)]
        running: running::Args,
    }

    fn seeds(flags: &[&str]) -> Result<Seeds, String> {
        let flags = Flags::try_parse_from([&["x"], flags].concat()).expect("the flags read");
        let options = flags.running.options().expect("the options are right");
        flags.seeds.seeds(1, &options, &flags.running).map_err(|error| error.to_string())
    }

    #[test]
    fn seeds_follow_the_first() {
        assert_eq!(seeds(&[]), Ok(Seeds { first: 1, count: 1 }));
        let some = seeds(&["--explore", "3", "--seed", "7", "--schedule", "pct:3"]).unwrap();
        assert_eq!(some.iter().collect::<Vec<_>>(), [7, 8, 9]);
        assert_eq!((some.at(2), some.at(3)), (Some(9), None));
    }

    #[test]
    fn schedules_of_one_seed_cannot_be_explored() {
        for schedule in ["random:9", "pct:3:9", "replay:9:0.1.0x4"] {
            let error = seeds(&["--explore", "2", "--schedule", schedule]).unwrap_err();
            assert!(error.contains(schedule) && error.contains("one seed"), "{error}");
            assert!(seeds(&["--explore", "1", "--schedule", schedule]).is_ok());
        }
        let error = seeds(&["--explore", "2", "--record-schedule", "x"]).unwrap_err();
        assert!(error.contains("one seed"), "{error}");
    }
}
