//! `programs`: whole CUDA programs print and end as on a GPU, and get the verdicts that they name themselves.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use warpsan_testkit::corpus::in_parallel;
use warpsan_testkit::programs::{
    Builder, Code, Cudart, Judged, Program, Row, Totals, Variant, Working, judge, read_programs,
    read_working, reasons, run as run_program,
};
use warpsan_testkit::values::Limits;

use super::{Common, cores, table, warpsan};

/// Cores of each run: more than one, so that blocks run side by side.
const CORES_OF_A_RUN: usize = 2;

/// The longest part of a difference that is shown.
const MOST_CHARACTERS: usize = 240;

/// The first version of CUDA whose wheels have nvcc.
const FIRST_WITH_NVCC: &str = "13";

/// Run the programs of `suites/programs`, and compare with what an H200 printed and with their `//~` comments
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The CUDA runtime that programs are linked with
    #[arg(long, value_enum, default_value_t = CudartChoice::Static)]
    cudart: CudartChoice,
    /// How the device's code is compiled: `-O3 -lineinfo` or `-G`
    #[arg(long, value_enum, default_value_t = CodeChoice::Optimised)]
    code: CodeChoice,
    /// Only the programs of `expected_to_work.txt`
    #[arg(long)]
    listed: bool,
    /// How many programs are built and run at a time
    #[arg(long, value_name = "NUMBER")]
    jobs: Option<usize>,
    /// After this time, a run has failed
    #[arg(long, value_name = "SECONDS", default_value_t = 30)]
    timeout: u64,
    /// Run each program so often, and compare its reports byte by byte
    #[arg(long, value_name = "NUMBER", default_value_t = 1)]
    repeat: usize,
    /// Show every difference in full length
    #[arg(long)]
    verbose: bool,
    /// The warpsan to run, where it is not the one beside this command
    #[arg(long, value_name = "FILE")]
    warpsan: Option<PathBuf>,
}

#[derive(Clone, Copy, Debug, clap::ValueEnum)]
enum CudartChoice {
    Shared,
    Static,
    Both,
}

#[derive(Clone, Copy, Debug, clap::ValueEnum)]
enum CodeChoice {
    Optimised,
    #[value(name = "G")]
    Debug,
    Both,
}

impl Args {
    fn variants(&self) -> Vec<Variant> {
        let cudarts: &[Cudart] = match self.cudart {
            CudartChoice::Shared => &[Cudart::Shared],
            CudartChoice::Static => &[Cudart::Static],
            CudartChoice::Both => &[Cudart::Shared, Cudart::Static],
        };
        let codes: &[Code] = match self.code {
            CodeChoice::Optimised => &[Code::Optimised],
            CodeChoice::Debug => &[Code::Debug],
            CodeChoice::Both => &[Code::Optimised, Code::Debug],
        };
        let with = |cudart: &Cudart| {
            codes.iter().map(|code| Variant { cudart: *cudart, code: *code }).collect()
        };
        cudarts.iter().flat_map(|cudart| -> Vec<Variant> { with(cudart) }).collect()
    }
}

/// True if every program is right in every way it was built.
pub(crate) fn run(args: &Args, common: &Common) -> anyhow::Result<bool> {
    let suite = common.root().join("suites/programs");
    let mut programs = read_programs(&suite)?;
    programs.retain(|program| common.takes(&program.name));
    let list = read_working(&suite)?;
    if args.listed {
        programs.retain(|program| list.iter().any(|listed| listed.name == program.name));
    }
    anyhow::ensure!(!programs.is_empty(), "no program has such a name");
    let kept = common.root().join("target/programs");
    let builder = Builder::new(common.toolchain()?, &suite, kept)?;
    let warpsan = warpsan(args.warpsan.as_deref())?;
    show_compiler(&builder);
    let left_out = programs.len();
    programs.retain(|program| program.head.can_be_compiled_by(builder.compiler_version()));
    let left_out = left_out - programs.len();
    let limits = Limits { program: Duration::from_secs(args.timeout) };
    let variants = args.variants();
    let runs: Vec<(&Program, Variant)> = programs
        .iter()
        .flat_map(|program| variants.iter().map(move |variant| (program, *variant)))
        .collect();
    let check = |(program, variant): &(&Program, Variant)| -> Judged {
        let flags = [format!("--jobs={CORES_OF_A_RUN}")];
        let run_again = || -> anyhow::Result<Judged> {
            let executable = builder.build(program, *variant)?;
            let first = run_program(&warpsan, &executable, &flags, limits)?;
            let mut judged = judge(program, &first);
            for number in 2..=args.repeat {
                let other = run_program(&warpsan, &executable, &flags, limits)?;
                judged.compare(number, &first, &other);
            }
            Ok(judged)
        };
        run_again().unwrap_or_else(|error| Judged::not_built(&error))
    };
    let start = Instant::now();
    let observe = |(program, variant): &(&Program, Variant), judged: &Judged| {
        if !judged.is_right() {
            println!("WRONG {} [{variant}]: {}", program.name, in_one_line(judged, args.verbose));
        }
    };
    let jobs = args.jobs.map_or_else(cores, Ok)?;
    let checked = in_parallel(&runs, jobs, None, check, observe);
    let mut totals = Totals::default();
    let mut is_right: BTreeMap<&str, bool> = BTreeMap::new();
    let judged: Vec<(&Program, Judged)> =
        checked.into_iter().filter_map(|done| Some((done.item.0, done.verdict?))).collect();
    for (program, judged) in &judged {
        totals.add(program.group(), judged);
        *is_right.entry(&program.name).or_insert(true) &= judged.is_right();
    }
    print_totals(&totals);
    print_reasons(&judged);
    compare_with_list(&list, &is_right);
    println!(
        "{} programs in {} runs, {:.0} seconds: {} are right; {left_out} need a newer compiler",
        programs.len(),
        totals.all.runs,
        start.elapsed().as_secs_f64(),
        totals.all.both,
    );
    Ok(totals.all.both == totals.all.runs)
}

/// Which compiler it is, and why it is not the other one.
fn show_compiler(builder: &Builder) {
    let version = builder.compiler_version();
    println!("Compiled by nvcc {version}.");
    if version.starts_with(FIRST_WITH_NVCC) {
        println!(
            "CUDA 12.9 is not tried: its wheels have no nvcc. Where its toolkit is installed, name it with --cuda-path."
        );
    }
}

/// All that is wrong, on one line.
fn in_one_line(judged: &Judged, in_full: bool) -> String {
    let differences = judged.differences.iter().map(|difference| {
        let text = difference.to_string().replace('\n', " ");
        match text.char_indices().nth(MOST_CHARACTERS) {
            Some((end, _)) if !in_full => format!("{}…", &text[..end]),
            _ => text,
        }
    });
    differences.collect::<Vec<_>>().join("; ")
}

fn print_totals(totals: &Totals) {
    let row = |name: &str, row: &Row| {
        let counts = [row.runs, row.output, row.verdict, row.both].map(|count| count.to_string());
        std::iter::once(name.to_owned()).chain(counts).collect::<Vec<_>>()
    };
    let mut rows: Vec<_> = totals.groups.iter().map(|(name, counts)| row(name, counts)).collect();
    rows.push(row("all", &totals.all));
    table::print(&["group", "runs", "output right", "verdict right", "both"], &rows);
}

fn print_reasons(judged: &[(&Program, Judged)]) {
    let counted = reasons(judged.iter().map(|(_, judged)| judged));
    if !counted.is_empty() {
        println!(" runs  what is wrong with them");
    }
    for (reason, count) in counted {
        println!("{count:>5}  {reason}");
    }
}

/// Says where the list of programs that work and what was seen differ.
fn compare_with_list(list: &[Working], is_right: &BTreeMap<&str, bool>) {
    for listed in list {
        if is_right.get(listed.name.as_str()) == Some(&false) {
            println!("{} is in expected_to_work.txt, and is wrong now", listed.name);
        }
    }
    let is_new = |name: &&str| list.iter().all(|listed| listed.name != **name);
    let new: Vec<&str> = is_right
        .iter()
        .filter(|(_, right)| **right)
        .map(|(name, _)| *name)
        .filter(is_new)
        .collect();
    if !new.is_empty() {
        println!("right, and not yet in expected_to_work.txt: {}", new.join(" "));
    }
}
