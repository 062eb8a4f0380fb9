//! `rules`: which kernels show that each rule of the model matters.

use warpsan_detect::hb::Rule;
use warpsan_oracle::differential::Machine;
use warpsan_oracle::load_bearing::{Judged, WITNESSES, search, shown_by};

use super::Common;

/// Switch the rules of the model off, one by one, and show a kernel that the detector is then wrong about
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Look for such kernels among those with seeds below this number, instead of showing the known ones
    #[arg(long, value_name = "NUMBER")]
    search: Option<u64>,
    /// How many kernels are wanted for each rule
    #[arg(long, value_name = "NUMBER", default_value_t = 3)]
    wanted: usize,
}

/// True if all known kernels show their rules.
pub(crate) fn run(args: &Args, _common: &Common) -> anyhow::Result<bool> {
    let machine = Machine::new()?;
    match args.search {
        Some(end) => look(&machine, end, args.wanted),
        None => show(&machine),
    }
}

/// Prints the list of seeds as it stands in the source.
fn look(machine: &Machine, end: u64, wanted: usize) -> anyhow::Result<bool> {
    for found in search(machine, 0..end, wanted)? {
        let classes: Vec<String> =
            found.classes.iter().map(|(class, count)| format!("{class} {count}")).collect();
        println!("    (Rule::{:?}, &{:?}), // {}", found.rule, found.seeds, classes.join(", "));
    }
    Ok(true)
}

/// Prints what the known seeds show.
fn show(machine: &Machine) -> anyhow::Result<bool> {
    let mut all = true;
    for (rule, seeds) in WITNESSES {
        println!("without `{}`:", rule.name());
        for seed in seeds {
            let shown = match Judged::of_seed(machine, *seed) {
                Ok(judged) => shown_by(&judged, rule).map_err(|why| why.to_string()),
                Err(error) => Err(error.to_string()),
            };
            all &= shown.is_ok();
            let line = shown.map_or_else(|why| format!("NOT SHOWN: {why}"), |one| one.to_string());
            println!("    seed {seed}: {line}");
        }
    }
    for rule in Rule::ALL {
        if !WITNESSES.iter().any(|(known, _)| *known == rule) {
            println!("without `{}`: no kernel, see the tests", rule.name());
        }
    }
    Ok(all)
}
