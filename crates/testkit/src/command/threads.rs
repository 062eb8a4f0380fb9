//! `threads`: programs with threads get the verdicts that they name themselves, from every compiler.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use warpsan_suite::describe_expectation;
use warpsan_testkit::corpus::in_parallel;
use warpsan_testkit::threads::{
    Builder, Compiler, Counted, Linking, Need, Outcome, Program, Watch, Way, judge, newest_clang,
    raise_limits, read_programs, run as run_program,
};

use super::{Common, cores, table, warpsan};

/// Of the sample, one program in so many is checked, so often.
const SAMPLE: usize = 5;
const RUNS_OF_SAMPLE: usize = 2;

/// Build the programs of `suites/threads` with `-fsanitize=thread`, run them, and compare the reports with their `//~` comments
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The compilers, as in `gcc,clang-19`; without it all that are installed
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    compilers: Vec<String>,
    /// Levels of optimisation
    #[arg(long, value_name = "LEVELS", value_delimiter = ',', default_value = "O0,O2")]
    levels: Vec<String>,
    /// Build with clang a second time, with its runtime as a shared object (`-shared-libsan`)
    #[arg(long)]
    shared_runtime: bool,
    /// How often each program is run
    #[arg(long, value_name = "NUMBER", default_value_t = 20)]
    runs: usize,
    /// `slimfast` or `fasttrack`
    #[arg(long, value_name = "NAME", default_value = "slimfast")]
    detector: String,
    /// Record what the programs do, and compare what a replay of it says
    #[arg(long)]
    replay: bool,
    /// Ask the compilers' own runtimes in place of warpsan
    #[arg(long, conflicts_with_all = ["plain", "warpsan", "detector", "replay"])]
    baseline: bool,
    /// Only see that programs end well, without any sanitizer
    #[arg(long, conflicts_with_all = ["warpsan", "detector", "shared_runtime", "replay"])]
    plain: bool,
    /// Leave out programs that need this
    #[arg(long, value_name = "NEEDS", value_delimiter = ',', value_enum)]
    without: Vec<Need>,
    /// One program in five, with gcc and the newest clang, at -O1, twice each: what CI has time for
    #[arg(long, conflicts_with_all = ["compilers", "levels", "runs"])]
    sample: bool,
    /// How many programs are built and run at a time
    #[arg(long, value_name = "NUMBER")]
    jobs: Option<usize>,
    /// After this time, a run has failed; programs with hundreds of threads have four times as long
    #[arg(long, value_name = "SECONDS", default_value_t = 60)]
    timeout: u64,
    /// The warpsan to run, where it is not the one beside this command
    #[arg(long, value_name = "FILE")]
    warpsan: Option<PathBuf>,
}

/// True if every run of every program is right.
pub(crate) fn run(args: &Args, common: &Common) -> anyhow::Result<bool> {
    let suite = common.root().join("suites/threads");
    let programs = args.programs(common, read_programs(&suite)?);
    anyhow::ensure!(!programs.is_empty(), "no program has such a name");
    let ways = args.ways()?;
    if ways.is_empty() && args.sample {
        println!("No compiler can build programs with threads: they are not checked.");
        return Ok(true);
    }
    anyhow::ensure!(!ways.is_empty(), "there is no compiler that can build them");
    let watch = args.watch()?;
    let builder = Builder::new(&suite, common.root().join("target/threads"))?;
    raise_limits();
    let start = Instant::now();
    let checked = args.check(&programs, &ways, &builder, &watch)?;
    print_totals(&ways, &checked);
    let right = checked.iter().filter(|(_, outcome)| outcome.is_right()).count();
    println!(
        "{} programs built in {} ways, {} runs in {:.0} seconds: {right} of {} are right",
        programs.len(),
        ways.len(),
        checked.iter().map(|(_, outcome)| outcome.runs).sum::<usize>(),
        start.elapsed().as_secs_f64(),
        checked.len(),
    );
    Ok(right == checked.len())
}

impl Args {
    fn programs(&self, common: &Common, mut programs: Vec<Program>) -> Vec<Program> {
        programs.retain(|program| common.takes(&program.name));
        programs
            .retain(|program| !program.head.needs.iter().any(|need| self.without.contains(need)));
        if self.plain {
            // Without a sanitizer nobody says anything of races.
            let files = programs.iter_mut().flat_map(|program| &mut program.files);
            files.for_each(|file| file.expectations.clear());
        }
        let step = if self.sample { SAMPLE } else { 1 };
        programs.into_iter().step_by(step).collect()
    }

    /// All ways to build, without the compilers that cannot.
    fn ways(&self) -> anyhow::Result<Vec<Way>> {
        let mut compilers = match self.compilers.is_empty() {
            true => Compiler::installed(),
            false => {
                self.compilers.iter().map(|name| Compiler::named(name)).collect::<Result<_, _>>()?
            }
        };
        if self.sample {
            let clang = newest_clang(&compilers).cloned();
            if clang.is_none() {
                println!("There is no clang: only gcc is tried.");
            }
            compilers.retain(|compiler| !compiler.is_clang() || Some(compiler) == clang.as_ref());
        }
        compilers.retain(|compiler| self.plain || can_build(compiler));
        let levels = if self.sample { &["O1".to_owned()] } else { self.levels.as_slice() };
        let mut ways = Vec::new();
        for compiler in &compilers {
            for level in levels {
                let level = format!("-{}", level.trim_start_matches('-'));
                for linking in self.linkings(compiler) {
                    ways.push(Way { compiler: compiler.clone(), level: level.clone(), linking });
                }
            }
        }
        Ok(ways)
    }

    fn linkings(&self, compiler: &Compiler) -> Vec<Linking> {
        match (self.plain, self.shared_runtime && compiler.is_clang()) {
            (true, _) => vec![Linking::Plain],
            (false, false) => vec![Linking::Usual],
            (false, true) => vec![Linking::Usual, Linking::SharedRuntime],
        }
    }

    fn watch(&self) -> anyhow::Result<Watch> {
        Ok(match (self.baseline, self.plain) {
            (true, _) => Watch::OwnRuntime,
            (_, true) => Watch::Nobody,
            _ => {
                let command = warpsan(self.warpsan.as_deref())?;
                let detector = self.detector.clone();
                Watch::Warpsan { command, detector, replays: self.replay }
            }
        })
    }

    /// Builds and runs everything, and says what is wrong as it is found.
    fn check<'a>(
        &self,
        programs: &'a [Program],
        ways: &'a [Way],
        builder: &Builder,
        watch: &Watch,
    ) -> anyhow::Result<Vec<(&'a Way, Outcome)>> {
        let time = Duration::from_secs(self.timeout);
        let runs = if self.sample { RUNS_OF_SAMPLE } else { self.runs };
        let check = |(program, way): &(&Program, &Way)| {
            let run_all = || -> anyhow::Result<Outcome> {
                let executable = builder.build(program, way)?;
                let mut outcome = Outcome::default();
                for _ in 0..runs {
                    let observed = run_program(program, &executable, watch, time)?;
                    outcome.add(&judge(program, &observed, watch.code_tells()));
                }
                Ok(outcome)
            };
            run_all().unwrap_or_else(|error| Outcome::not_built(&error))
        };
        let items: Vec<(&Program, &Way)> = programs
            .iter()
            .flat_map(|program| ways.iter().map(move |way| (program, way)))
            .collect();
        let jobs = self.jobs.map_or_else(cores, Ok)?;
        let checked = in_parallel(&items, jobs, None, check, |(program, way), outcome| {
            show(program, way, outcome);
        });
        Ok(checked.into_iter().filter_map(|done| Some((done.item.1, done.verdict?))).collect())
    }
}

fn can_build(compiler: &Compiler) -> bool {
    let obstacle = compiler.obstacle();
    if let Some(obstacle) = &obstacle {
        println!("{} is left out: {obstacle}", compiler.name);
    }
    obstacle.is_none()
}

/// Prints what is wrong with a program, what was expected, and what was said.
fn show(program: &Program, way: &Way, outcome: &Outcome) {
    if outcome.differences.is_empty() {
        return;
    }
    let words: Vec<String> = outcome
        .differences
        .iter()
        .map(|(difference, count)| format!("{difference} ({count} of {})", outcome.runs.max(1)))
        .collect();
    let mark = if outcome.is_right() { "     " } else { "WRONG" };
    println!("{mark} {} [{way}]: {}", program.name, words.join("; "));
    if let Some(said) = &outcome.said {
        let expected: Vec<String> =
            program.expectations().map(|(_, one)| describe_expectation(one)).collect();
        let expected = if expected.is_empty() { "no race".to_owned() } else { expected.join("; ") };
        println!("      expected: {expected}");
        println!("      said:     {said}");
    }
}

fn print_totals(ways: &[Way], checked: &[(&Way, Outcome)]) {
    let row = |way: &Way| {
        let mut counted = Counted::default();
        checked.iter().filter(|(of, _)| *of == way).for_each(|(_, outcome)| counted.add(outcome));
        let counts = [
            counted.programs,
            counted.right,
            counted.missed,
            counted.unexpected,
            counted.ended,
            counted.late,
            counted.gaps,
            counted.racy_runs,
        ];
        let share = counted.share_with_stacks();
        let share = share.map_or_else(|| "-".to_owned(), |share| format!("{:.1} %", share * 100.0));
        let mut row = vec![way.to_string()];
        row.extend(counts.map(|count| count.to_string()));
        row.push(share);
        row
    };
    let header = [
        "compiler",
        "programs",
        "right",
        "missed",
        "unexpected",
        "ended badly",
        "time-out",
        "not covered",
        "racy runs",
        "with stacks",
    ];
    table::print(&header, &ways.iter().map(row).collect::<Vec<_>>());
}
