//! `speculation`: loads that the compiler speculates keep their guard in the IR.

use anyhow::Context;
use warpsan_testkit::speculation::{LEVELS, guarded_loads, read_programs};
use warpsan_toolchain::Search;

use super::{Common, fetch, table};

/// Compile the programs with speculated loads at every level, and show the loads that have a guard
#[derive(Debug, clap::Args)]
pub(crate) struct Args {}

/// Speculated loads whose condition changes in a loop that they were moved out of: it is not known at the load.
const WITHOUT_GUARD: &[&str] = &["loop_variant_guard", "unguarded_any_iteration"];

/// True if at the highest level every speculated load has its guard and no other load has one.
pub(crate) fn run(_: &Args, common: &Common) -> anyhow::Result<bool> {
    let programs = read_programs(&common.root().join("suites/speculation"))?;
    let mut ask = |offer: &_| fetch::decide(offer, common.yes);
    let search = Search::new(common.cuda_path.clone());
    let toolchain = search.find_or_install(&mut ask, &mut fetch::FetchProgress::default())?;
    let (mut rows, mut wrong) = (Vec::new(), 0);
    let mut with_all_guards = [0; LEVELS.len()];
    for program in programs.iter().filter(|program| common.takes(&program.name)) {
        let mut row = vec![program.name.clone(), program.speculated.to_string()];
        for (level, with_all_guards) in LEVELS.iter().zip(&mut with_all_guards) {
            let loads = guarded_loads(toolchain.toolkit(), program, level)
                .with_context(|| format!("{} {level}", program.name))?;
            for load in loads.iter().filter(|_| *level == "-O3") {
                println!("{}: {load}", program.name);
            }
            // At the first level the compiler speculates less, so there may be fewer.
            let expected = match WITHOUT_GUARD.contains(&program.name.as_str()) {
                true => 0,
                false => program.speculated,
            };
            let is_right = loads.len() == expected || (*level == "-O1" && loads.len() < expected);
            wrong += usize::from(!is_right);
            *with_all_guards += usize::from(!loads.is_empty() && loads.len() == program.speculated);
            row.push(loads.len().to_string() + if is_right { "" } else { " WRONG" });
        }
        rows.push(row);
    }
    let header: Vec<&str> = ["program", "speculated"].into_iter().chain(LEVELS).collect();
    table::print(&header, &rows);
    let speculating = programs.iter().filter(|program| program.speculated > 0).count();
    for (level, programs) in LEVELS.iter().zip(with_all_guards) {
        println!(
            "{level}: {programs} of {speculating} programs with speculated loads keep every guard"
        );
    }
    Ok(wrong == 0)
}
