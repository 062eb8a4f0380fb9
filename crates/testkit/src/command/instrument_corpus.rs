//! `instrument-corpus`: the kernels of the suites with their checks, assembled.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::Context;
use warpsan_testkit::corpus::{Checked, in_parallel};
use warpsan_testkit::instrumented::{Parsed, Text, Totals, Verdict, texts};

use super::instrument::WhoseChecks;
use super::{Bench, Common, cores, new_bar, table};

/// Instrument every kernel of the suites and assemble what comes out
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Whose checks
    #[arg(long, value_enum, default_value = "iguard")]
    checks: WhoseChecks,
    /// How many threads compile and assemble
    #[arg(long, value_name = "NUMBER")]
    jobs: Option<usize>,
    /// Write the instrumented PTX that the assembler does not take into this folder
    #[arg(long, value_name = "FOLDER")]
    keep: Option<PathBuf>,
    /// Name every kernel that is refused
    #[arg(long)]
    verbose: bool,
}

/// The kernels of a text, and how long the assembler takes for the text as it is.
struct Checks {
    kernels: Vec<(String, Verdict)>,
    original: Duration,
}

/// True if the assembler takes every instrumented kernel.
pub(crate) fn run(args: &Args, common: &Common) -> anyhow::Result<bool> {
    let bench = Bench::set_up_new(common)?;
    let mut all = texts(&common.root())?;
    all.retain(|text| common.takes(&text.to_string()));
    anyhow::ensure!(!all.is_empty(), "nothing has such a name");
    let jobs = args.jobs.map_or_else(cores, Ok)?;
    let bar = new_bar("texts", all.len());
    let check = |text: &Text| check(text, args, &bench);
    let observe = |text: &Text, result: &anyhow::Result<Checks>| {
        bar.suspend(|| show(text, result, args.verbose));
        bar.inc(1);
        bar.set_message(text.to_string());
    };
    let checked = in_parallel(&all, jobs, None, check, observe);
    bar.finish_and_clear();
    Ok(summarise(&checked))
}

fn check(text: &Text, args: &Args, bench: &Bench) -> anyhow::Result<Checks> {
    let document = text.document(&bench.compilers)?;
    let parsed = Parsed::of(&document);
    let mut kernels = Vec::new();
    for kernel in parsed.kernels() {
        let verdict = parsed.check(kernel, text, args.checks.plan(), &bench.compilers);
        if let (Verdict::Wrong(_), Some(folder)) = (&verdict, &args.keep) {
            let made = parsed.instrument(kernel, &text.target(), args.checks.plan())?;
            keep(folder, text, kernel.name, &made.text).context("its PTX could not be kept")?;
        }
        kernels.push((kernel.name.to_owned(), verdict));
    }
    // What the assembler does not take as it is (a part of a program) has no time to compare with.
    let original =
        bench.compilers.time_for(document.text(), &text.target(), false).unwrap_or_default();
    Ok(Checks { kernels, original })
}

fn keep(folder: &Path, text: &Text, kernel: &str, ptx: &str) -> std::io::Result<()> {
    fs::create_dir_all(folder)?;
    let name = format!("{text} {kernel}").replace(['/', ' '], ".");
    // Names of templates are longer than those of files may be.
    let name: String = name.chars().take(200).collect();
    fs::write(folder.join(format!("{name}.ptx")), ptx)
}

fn show(text: &Text, result: &anyhow::Result<Checks>, verbose: bool) {
    let checks = match result {
        Ok(checks) => checks,
        Err(error) => return println!("FAILED {text}: {error:#}"),
    };
    for (kernel, verdict) in &checks.kernels {
        match verdict {
            Verdict::Wrong(log) => println!("FAILED {text} {kernel}: {log}"),
            Verdict::Refused(reason) if verbose => println!("refused {text} {kernel}: {reason}"),
            _ => {}
        }
    }
}

/// A table by suite and mode, and the reasons of refusals; true if nothing went wrong.
fn summarise(checked: &[Checked<Text, anyhow::Result<Checks>>]) -> bool {
    let mut totals = Totals::default();
    let mut failed = 0;
    for Checked { item, verdict } in checked {
        match verdict {
            Some(Ok(checks)) => {
                let verdicts: Vec<Verdict> =
                    checks.kernels.iter().map(|(_, verdict)| verdict.clone()).collect();
                let group = format!("{} {}", item.suite(), item.mode());
                totals.add(&group, &verdicts, checks.original);
            }
            Some(Err(_)) | None => failed += 1,
        }
    }
    let groups = totals.groups.iter().map(|(name, group)| (name.as_str(), group));
    let rows: Vec<Vec<String>> = groups
        .chain([("all", &totals.all)])
        .map(|(name, group)| {
            let counts = [group.kernels, group.instrumented, group.refused, group.wrong];
            let cost = group.cost;
            let accesses = [cost.checked, cost.pruned, cost.speculated];
            let factors = [group.text_factor(), group.time_factor()];
            let mut row = vec![name.to_owned()];
            row.extend(counts.map(|count| count.to_string()));
            row.extend(accesses.map(|count| count.to_string()));
            row.extend(group.instrumented_percent().map(|percent| format!("{percent:.1}")));
            row.extend(factors.map(|factor| format!("{factor:.1}")));
            row
        })
        .collect();
    let header = [
        "",
        "kernels",
        "instrumented",
        "refused",
        "wrong",
        "checked",
        "pruned",
        "speculated",
        "% unpruned",
        "% pruned",
        "text ×",
        "time ×",
    ];
    table::print(&header, &rows);
    let mut reasons: Vec<(&String, &usize)> = totals.reasons.iter().collect();
    reasons.sort_by_key(|(_, count)| std::cmp::Reverse(**count));
    for (reason, count) in reasons {
        println!("refused {count}: {reason}");
    }
    if failed > 0 {
        println!("{failed} texts could not be made");
    }
    totals.all.wrong == 0 && failed == 0 && totals.all.instrumented > 0
}
