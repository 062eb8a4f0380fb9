//! `corpus`: every PTX text of the corpus through the parser and back, and the PTX inside its programs.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::Context;
use warpsan_testkit::corpus::{
    Checked, Executable, ExecutableVerdict, Failure, Unit, Verdict, in_parallel, printed, sample,
};

use super::{Bench, Common, new_bar, table};
use warpsan_toolchain::DeveloperTools;

/// Of a sample's time, this much may pass before no new PTX text is begun.
const SHARE_OF_TEXTS: f64 = 0.75;

/// Of a sample's time, this much may pass before no new program is begun; the rest is for what has begun.
const SHARE_OF_TEXTS_AND_PROGRAMS: f64 = 0.92;

/// Check that every PTX text of the corpus gives the same machine code after parsing and printing
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Take a part of the corpus that needs at most this many minutes on two cores
    #[arg(long, value_name = "MINUTES", num_args = 0..=1, default_missing_value = "5")]
    sample: Option<f64>,
    /// How many threads compile and assemble
    #[arg(long, value_name = "NUMBER")]
    jobs: Option<usize>,
    /// The warpsan that looks for PTX in programs; without it, programs are not checked
    #[arg(long, value_name = "FILE")]
    warpsan: Option<PathBuf>,
    /// Write the original and the printed PTX of what failed into this folder
    #[arg(long, value_name = "FOLDER")]
    keep: Option<PathBuf>,
    /// Say which sources CUDA 12.9 could not compile, and why
    #[arg(long)]
    verbose: bool,
}

/// True if everything that was checked is as it should be.
pub(crate) fn run(args: &Args, common: &Common) -> anyhow::Result<bool> {
    let bench = Bench::set_up(common, args.warpsan.is_some())?;
    let jobs = match args.jobs {
        Some(jobs) => jobs,
        None => std::thread::available_parallelism().context("how many cores are there?")?.get(),
    };
    let limit = match args.sample {
        Some(minutes) => Some(
            Duration::try_from_secs_f64(minutes * 60.0)
                .with_context(|| format!("`--sample {minutes}` is no time"))?,
        ),
        None => None,
    };
    let units = bench.units(common);
    let mut programs: Vec<Executable> = Vec::new();
    if args.warpsan.is_some() {
        programs.extend(bench.sources.iter().flat_map(Executable::of));
        programs.retain(|program| common.takes(&program.to_string()));
    }
    anyhow::ensure!(!units.is_empty() || !programs.is_empty(), "nothing has such a name");
    let work = Work { args, common, bench, jobs, limit, start: Instant::now() };
    let texts_are_right = units.is_empty() || work.check_texts(units);
    let programs_are_right = match &args.warpsan {
        Some(warpsan) => work.check_programs(programs, warpsan),
        None => true,
    };
    Ok(texts_are_right && programs_are_right)
}

/// What is to be done, with what, and until when.
struct Work<'a> {
    args: &'a Args,
    common: &'a Common,
    bench: Bench,
    jobs: usize,
    /// The time of a sample.
    limit: Option<Duration>,
    start: Instant,
}

impl Work<'_> {
    /// When this share of a sample's time is over.
    fn deadline(&self, share: f64) -> Option<Instant> {
        self.limit.map(|limit| self.start + limit.mul_f64(share))
    }

    fn check_texts(&self, all: Vec<Unit>) -> bool {
        let units = match self.limit {
            // The time is for two cores, whatever this machine has: the choice must not depend on it.
            Some(limit) => {
                let sample = sample(&all, limit.mul_f64(2.0 * SHARE_OF_TEXTS));
                println!("a sample of {} of {} PTX files", sample.len(), all.len());
                sample
            }
            None => all,
        };
        let bar = new_bar("PTX", units.len());
        let observe = |unit: &Unit, verdict: &Verdict| {
            match verdict {
                Verdict::Failed(failure) => bar.suspend(|| self.show_failure(unit, failure)),
                Verdict::LeftOut(reason) if self.args.verbose => {
                    bar.suspend(|| println!("left out {unit}: {reason}"));
                }
                Verdict::LeftOut(_) | Verdict::Same { .. } => {}
            }
            bar.inc(1);
            bar.set_message(unit.to_string());
        };
        let check = |unit: &Unit| self.bench.compilers.check(unit);
        let checked = in_parallel(&units, self.jobs, self.deadline(SHARE_OF_TEXTS), check, observe);
        bar.finish_and_clear();
        let is_whole = self.limit.is_none() && self.common.takes("");
        summarise(&checked, is_whole)
    }

    fn show_failure(&self, unit: &Unit, failure: &Failure) {
        println!("FAILED {unit}: {failure}");
        if let Some(folder) = &self.args.keep
            && let Err(error) = keep(folder, &self.bench, unit)
        {
            println!("       its PTX could not be kept: {error:#}");
        }
    }

    fn check_programs(&self, mut programs: Vec<Executable>, warpsan: &Path) -> bool {
        if self.limit.is_some() {
            // Every fifth of the small ones, so that both kinds of linking take turns.
            programs.retain(|program| !program.source.is_large());
            programs = programs.into_iter().step_by(5).collect();
        }
        let bar = new_bar("programs", programs.len());
        // Set up with programs in mind, the bench has the tools.
        let Some(cuobjdump) = self.bench.tools.as_ref().map(DeveloperTools::cuobjdump) else {
            return false;
        };
        let check = |program: &Executable| {
            self.bench.compilers.check_executable(program, &cuobjdump, warpsan)
        };
        let observe = |program: &Executable, verdict: &ExecutableVerdict| {
            if let ExecutableVerdict::Failed(message) = verdict {
                bar.suspend(|| println!("FAILED {program}: {message}"));
            }
            bar.inc(1);
            bar.set_message(program.to_string());
        };
        let deadline = self.deadline(SHARE_OF_TEXTS_AND_PROGRAMS);
        let checked = in_parallel(&programs, self.jobs, deadline, check, observe);
        bar.finish_and_clear();
        summarise_programs(&checked)
    }
}

/// Writes both texts of a unit, as far as there are any.
fn keep(folder: &Path, bench: &Bench, unit: &Unit) -> anyhow::Result<()> {
    std::fs::create_dir_all(folder)?;
    let Ok(original) = bench.compilers.ptx(unit) else { return Ok(()) };
    let name = unit.to_string().replace(' ', ".");
    if let Ok(printed) = printed(&original) {
        std::fs::write(folder.join(format!("{name}.printed.ptx")), printed)?;
    }
    std::fs::write(folder.join(format!("{name}.ptx")), original)?;
    Ok(())
}

/// What came out for one group of units.
#[derive(Default)]
struct Count {
    same: usize,
    same_debug_data: usize,
    failed: usize,
    left_out: usize,
    not_reached: usize,
}

impl Count {
    fn add(&mut self, verdict: Option<&Verdict>) {
        match verdict {
            Some(Verdict::Same { debug_data_too }) => {
                self.same += 1;
                self.same_debug_data += usize::from(*debug_data_too);
            }
            Some(Verdict::LeftOut(_)) => self.left_out += 1,
            Some(Verdict::Failed(_)) => self.failed += 1,
            None => self.not_reached += 1,
        }
    }

    fn row(&self, name: String) -> Vec<String> {
        let of_all = format!("{} of {}", self.same, self.same + self.failed);
        let numbers = [self.same_debug_data, self.failed, self.left_out, self.not_reached];
        let numbers = numbers.map(|number| number.to_string());
        [name, of_all].into_iter().chain(numbers).collect()
    }
}

/// The counts by architecture and mode, then one line about all.
fn summarise(checked: &[Checked<Unit, Verdict>], is_whole: bool) -> bool {
    let mut groups: BTreeMap<_, Count> = BTreeMap::new();
    let mut total = Count::default();
    for Checked { item, verdict } in checked {
        let group = groups.entry((item.architecture.clone(), item.mode)).or_default();
        group.add(verdict.as_ref());
        total.add(verdict.as_ref());
    }
    let mut rows: Vec<Vec<String>> = groups
        .iter()
        .map(|((architecture, mode), count)| count.row(format!("{architecture} {mode}")))
        .collect();
    rows.push(total.row("all".to_owned()));
    let header =
        ["", "same code", "same debug data", "failed", "CUDA 12.9 cannot compile", "not reached"];
    table::print(&header, &rows);
    let tried = total.same + total.failed;
    println!("{} of {tried} PTX files give the same machine code", total.same);
    // A compiler that refuses everything must not look like a parser that takes everything.
    let nothing_left = groups.values().any(|count| count.same + count.failed == 0);
    if is_whole && nothing_left {
        println!("FAILED: of some architecture and mode nothing compiles");
    }
    total.failed == 0 && total.same > 0 && !(is_whole && nothing_left)
}

fn summarise_programs(checked: &[Checked<Executable, ExecutableVerdict>]) -> bool {
    let (mut same, mut failed, mut images) = (0, 0, 0);
    for verdict in checked.iter().filter_map(|checked| checked.verdict.as_ref()) {
        match verdict {
            ExecutableVerdict::Same { images: count } => {
                same += 1;
                images += count;
            }
            ExecutableVerdict::Failed(_) => failed += 1,
        }
    }
    let tried = same + failed;
    println!(
        "{same} of {tried} programs: `warpsan ptx --print` equals what cuobjdump extracts \
         ({images} PTX images)"
    );
    failed == 0
}
