//! `fuzz-threads`: the detectors for threads against the oracle, on random traces.

use std::time::Instant;

use warpsan_testkit::corpus::in_parallel;
use warpsan_thread_detect::Counters;
use warpsan_thread_oracle::{Summary, fuzz};

use super::{Common, cores, new_bar, table};

/// Replay random traces of threads through `fasttrack` and `slimfast`, and compare both with the oracle
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// How many traces
    #[arg(long, value_name = "NUMBER", default_value_t = 100_000)]
    count: u64,
    /// The seed of the first trace; a disagreement names the seed that makes its trace again with `--count 1`
    #[arg(long, value_name = "NUMBER", default_value_t = 1, value_parser = seed)]
    seed: u64,
    /// How many threads
    #[arg(long, value_name = "NUMBER")]
    jobs: Option<usize>,
}

/// Traces that one thread tries before it takes more.
const AT_A_TIME: u64 = 1000;
/// The seeds of two parts are so far apart that seeds which people type do not share any.
const BETWEEN_PARTS: u32 = 40;

fn seed(text: &str) -> Result<u64, String> {
    let number = match text.strip_prefix("0x") {
        Some(digits) => u64::from_str_radix(digits, 16),
        None => text.parse(),
    };
    number.map_err(|_| "this is no seed".to_owned())
}

/// True if all agree on every trace.
pub(crate) fn run(args: &Args, _common: &Common) -> anyhow::Result<bool> {
    anyhow::ensure!(args.count > 0, "no trace is to be tried");
    let parts: Vec<(u64, u64)> = parts_of(args.count, args.seed);
    let bar = new_bar("thousands of traces", parts.len());
    let start = Instant::now();
    let jobs = args.jobs.map_or_else(cores, Ok)?;
    let try_part = |(traces, seed): &(u64, u64)| fuzz(*traces, *seed);
    let tried = in_parallel(&parts, jobs, None, try_part, |_, _| bar.inc(1));
    bar.finish_and_clear();
    let mut all = Summary::default();
    tried.iter().filter_map(|part| part.verdict.as_ref()).for_each(|part| add(&mut all, part));
    print(&all, start.elapsed().as_secs_f64());
    Ok(all.disagreed == 0)
}

/// The traces in parts: how many, and the seed of the first.
fn parts_of(count: u64, seed: u64) -> Vec<(u64, u64)> {
    (0..count.div_ceil(AT_A_TIME))
        .map(|part| {
            let traces = AT_A_TIME.min(count - part * AT_A_TIME);
            (traces, seed.wrapping_add(part << BETWEEN_PARTS))
        })
        .collect()
}

fn add(all: &mut Summary, part: &Summary) {
    all.traces += part.traces;
    all.events += part.events;
    all.racy_traces += part.racy_traces;
    all.locations += part.locations;
    all.racy_locations += part.racy_locations;
    all.disagreed += part.disagreed;
    all.disagreements.extend(part.disagreements.iter().cloned());
    all.fast_track.merge(&part.fast_track);
    all.slim_fast.merge(&part.slim_fast);
}

/// So many disagreements are shown.
const SHOWN: usize = 10;

fn print(all: &Summary, seconds: f64) {
    let row = |name: &str, counters: &Counters| {
        let percent = |share: f64| format!("{:.1} %", share * 100.0);
        vec![
            name.to_owned(),
            counters.accesses().to_string(),
            percent(counters.share_of_vector_accesses()),
            counters.allocations().to_string(),
            percent(counters.share_of_vector_allocations()),
            percent(counters.pair_reuse()),
            percent(counters.vector_reuse()),
        ]
    };
    table::print(
        &[
            "tool",
            "accesses",
            "of vectors",
            "allocations",
            "of vectors",
            "pairs reused",
            "vectors reused",
        ],
        &[row("fasttrack", &all.fast_track), row("slimfast", &all.slim_fast)],
    );
    println!(
        "{} traces with {} events in {seconds:.0} seconds; {} have races, in {} of {} locations",
        all.traces, all.events, all.racy_traces, all.racy_locations, all.locations
    );
    for disagreement in all.disagreements.iter().take(SHOWN) {
        println!("{disagreement}");
    }
    println!("{} traces disagree", all.disagreed);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_have_all_traces_and_seeds_of_their_own() {
        let parts = parts_of(2 * AT_A_TIME + 5, 7);
        assert_eq!(parts.iter().map(|(traces, _)| traces).sum::<u64>(), 2 * AT_A_TIME + 5);
        assert_eq!((parts[0], parts[2].0), ((AT_A_TIME, 7), 5));
        assert!(parts[0].1 != parts[1].1 && parts[1].1 != parts[2].1);
        assert_eq!(parts_of(1, 9), [(1, 9)]);
    }

    #[test]
    fn seeds_are_read_as_disagreements_name_them() {
        assert_eq!((seed("0x1f"), seed("31")), (Ok(31), Ok(31)));
        assert!(seed("x").is_err());
    }
}
