//! `fuzz-hb`: the default detector against the oracle, on random kernels.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Instant;

use indicatif::{ProgressBar, ProgressStyle};
use warpsan_oracle::differential::{
    Compared, Disagreement, Machine, NotRun, Setup, check, describe, shrink,
};
use warpsan_oracle::oracle::Rule;
use warpsan_oracle::synchronised::SynchronisedKernel;
use warpsan_report::RaceKind;

use super::{Common, cores, table};

/// Run random kernels that use all synchronisation, and compare the default detector with the oracle
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// How many kernels
    #[arg(long, value_name = "NUMBER", default_value_t = 200_000)]
    kernels: u64,
    /// The seed of the first kernel; the others follow
    #[arg(long, value_name = "NUMBER", default_value_t = 0)]
    seed: u64,
    /// How many threads
    #[arg(long, value_name = "NUMBER")]
    jobs: Option<usize>,
    /// One kernel in so many is looked at more closely: which rules its order depends on
    #[arg(long, value_name = "NUMBER", default_value_t = 4)]
    decisive_every: u64,
    /// How many disagreements are shown, each made as small as possible
    #[arg(long, value_name = "NUMBER", default_value_t = 3)]
    show: usize,
    /// Show only disagreements of this class: `missed`, `false alarm`, `verdict`, `wrong kind`, or the words in
    /// which the summary names a wrong kind
    #[arg(long, value_name = "CLASS")]
    class: Option<String>,
    /// Only kernels whose accesses are mostly those of whole warps, of which one in three is otherwise
    #[arg(long)]
    warp_wide: bool,
    /// Stop after this many kernels that disagree
    #[arg(long, value_name = "NUMBER", default_value_t = 1000)]
    stop_after: u64,
}

/// What came of all kernels.
#[derive(Debug, Default)]
struct Summary {
    run: u64,
    racy: u64,
    clean: u64,
    failed: BTreeMap<String, u64>,
    refused: BTreeMap<String, u64>,
    operations: u64,
    kinds: BTreeMap<&'static str, u64>,
    reported: BTreeMap<&'static str, u64>,
    edges: BTreeMap<Rule, [u64; 3]>,
    /// The seeds by class.
    disagreements: BTreeMap<&'static str, Vec<u64>>,
    disagreeing: u64,
    /// Kernels by wrong kind, and one of them.
    wrong_kinds: BTreeMap<String, (u64, u64)>,
}

/// True if the two agree everywhere.
pub(crate) fn run(args: &Args, _common: &Common) -> anyhow::Result<bool> {
    let jobs = args.jobs.map_or_else(cores, Ok)?;
    let next = AtomicU64::new(args.seed);
    let end = args.seed.saturating_add(args.kernels);
    let stop = AtomicBool::new(false);
    let summary = Mutex::new(Summary::default());
    let bar = ProgressBar::new(args.kernels).with_style(
        ProgressStyle::with_template("{bar:30} {pos}/{len} kernels, {per_sec}, {eta} left {msg}")
            .unwrap_or_else(|_| ProgressStyle::default_bar()),
    );
    let start = Instant::now();
    std::thread::scope(|scope| -> anyhow::Result<()> {
        let work = || -> anyhow::Result<()> {
            let machine = Machine::new()?;
            loop {
                let seed = next.fetch_add(1, Ordering::Relaxed);
                if seed >= end || stop.load(Ordering::Relaxed) {
                    return Ok(());
                }
                let kernel = args.kernel(seed);
                let setup = Setup::random(seed);
                let outcome =
                    check(&machine, &kernel, &setup, seed.is_multiple_of(args.decisive_every));
                let Ok(mut summary) = summary.lock() else { return Ok(()) };
                summary.take(seed, outcome);
                let bad = summary.disagreeing;
                if bad >= args.stop_after {
                    stop.store(true, Ordering::Relaxed);
                }
                drop(summary);
                bar.inc(1);
                if bad > 0 {
                    bar.set_message(format!("{bad} disagreements"));
                }
            }
        };
        let workers: Vec<_> = (0..jobs).map(|_| scope.spawn(work)).collect();
        for worker in workers {
            match worker.join() {
                Ok(result) => result?,
                Err(panic) => std::panic::resume_unwind(panic),
            }
        }
        Ok(())
    })?;
    bar.finish_and_clear();
    let Ok(summary) = summary.into_inner() else { return Ok(false) };
    show(args, &summary)?;
    summary.print(start.elapsed().as_secs_f64(), args.decisive_every);
    Ok(summary.disagreeing == 0 && summary.refused.is_empty())
}

/// Prints the first disagreements, as small as they can be made.
fn show(args: &Args, summary: &Summary) -> anyhow::Result<()> {
    let machine = Machine::new()?;
    let wanted = |class: &str| args.class.as_ref().is_none_or(|wanted| wanted == class);
    let of_class =
        summary.disagreements.iter().filter(|(class, _)| wanted(class)).flat_map(
            |(class, seeds)| seeds.iter().take(args.show).map(move |seed| (*class, *seed)),
        );
    let of_kinds = summary.wrong_kinds.iter().filter(|(kinds, _)| wanted(kinds));
    let of_kinds = of_kinds.map(|(kinds, (_, seed))| (kinds.as_str(), *seed)).take(args.show);
    let chosen: Vec<(&str, u64)> = of_class.chain(of_kinds).collect();
    for (class, seed) in chosen {
        let (kernel, setup) = (args.kernel(seed), Setup::random(seed));
        let (_, setup, compared) = shrink(&machine, &kernel, &setup, class);
        println!("\n==== {class}, seed {seed}");
        if let Some(compared) = compared {
            println!("{}", describe(&compared, &setup));
        }
    }
    Ok(())
}

impl Args {
    fn kernel(&self, seed: u64) -> SynchronisedKernel {
        match self.warp_wide {
            true => SynchronisedKernel::warp_wide(seed),
            false => SynchronisedKernel::mixed(seed),
        }
    }
}

impl Summary {
    fn take(&mut self, seed: u64, outcome: Result<Compared, NotRun>) {
        let compared = match outcome {
            Ok(compared) => compared,
            Err(NotRun::Failed(error)) => {
                *self.failed.entry(error.to_string()).or_default() += 1;
                return;
            }
            Err(other) => {
                *self.refused.entry(other.to_string()).or_default() += 1;
                return;
            }
        };
        self.run += 1;
        self.operations += compared.judgement.operations as u64;
        if compared.judgement.races.is_empty() {
            self.clean += 1;
        } else {
            self.racy += 1;
        }
        let mut kinds: Vec<RaceKind> =
            compared.judgement.races.iter().map(|race| race.kind).collect();
        kinds.sort_unstable();
        kinds.dedup();
        for kind in kinds {
            *self.kinds.entry(kind.name()).or_default() += 1;
        }
        let mut kinds: Vec<RaceKind> =
            compared.reported.races.iter().map(|race| race.kind).collect();
        kinds.sort_unstable();
        kinds.dedup();
        for kind in kinds {
            *self.reported.entry(kind.name()).or_default() += 1;
        }
        for (rule, count) in &compared.judgement.edges {
            let entry = self.edges.entry(*rule).or_default();
            entry[0] += count;
            entry[1] += u64::from(*count > 0);
        }
        for (rule, count) in &compared.judgement.decisive {
            self.edges.entry(*rule).or_default()[2] += u64::from(*count > 0);
        }
        let wrong: BTreeSet<&String> = compared
            .disagreements
            .iter()
            .filter_map(|one| match one {
                Disagreement::WrongKind { kinds, .. } => Some(kinds),
                _ => None,
            })
            .collect();
        for kinds in wrong {
            self.wrong_kinds.entry(kinds.clone()).or_insert((0, seed)).0 += 1;
        }
        let mut classes: Vec<&'static str> =
            compared.disagreements.iter().map(|one| one.class()).collect();
        classes.sort_unstable();
        classes.dedup();
        for class in &classes {
            self.disagreements.entry(class).or_default().push(seed);
        }
        self.disagreeing += u64::from(!classes.is_empty());
    }

    fn print(&self, seconds: f64, decisive_every: u64) {
        let rows: Vec<Vec<String>> = self
            .edges
            .iter()
            .map(|(rule, [edges, kernels, decisive])| {
                let numbers = [edges, kernels, decisive].map(ToString::to_string);
                std::iter::once(rule.name().to_owned()).chain(numbers).collect()
            })
            .collect();
        let decisive = format!("decisive in (of 1/{decisive_every})");
        table::print(&["rule", "edges", "kernels", &decisive], &rows);
        let counts = |title: &str, counts: &BTreeMap<&'static str, u64>| {
            let list: Vec<String> =
                counts.iter().map(|(name, count)| format!("{name} {count}")).collect();
            println!("{title}: {}", list.join(", "));
        };
        counts("kernels by kind of race (oracle)", &self.kinds);
        counts("kernels by kind of race (detector)", &self.reported);
        for (title, list) in [("refused", &self.refused), ("launch failed", &self.failed)] {
            let mut list: Vec<_> = list.iter().collect();
            list.sort_by_key(|(_, count)| std::cmp::Reverse(**count));
            for (message, count) in list.iter().take(8) {
                println!("{title} {count} times: {message}");
            }
        }
        let sum = |counts: &BTreeMap<String, u64>| counts.values().sum::<u64>();
        println!(
            "{} kernels in {seconds:.0} seconds ({:.0} each second), {} refused, {} did not end; {} have races, {} \
             are clean; {} operations",
            self.run,
            self.run as f64 / seconds,
            sum(&self.refused),
            sum(&self.failed),
            self.racy,
            self.clean,
            self.operations
        );
        for (class, seeds) in &self.disagreements {
            let some: Vec<String> = seeds.iter().take(20).map(ToString::to_string).collect();
            println!("{class} in {} kernels; seeds: {}", seeds.len(), some.join(" "));
        }
        for (kinds, (count, seed)) in &self.wrong_kinds {
            println!("    {kinds}: {count} kernels, for example seed {seed}");
        }
        println!("{} kernels disagree", self.disagreeing);
    }
}
