//! `rdc`: programs of several units, linked by nvlink and by us.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;

use anyhow::Context;
use warpsan_testkit::relocatable::{Linker, RUN_SCRIPT, read_programs};
use warpsan_toolchain::Search;

use super::{Common, fetch, table};

/// Link the programs of several units with nvlink and with our PTX linker, to be run on a GPU
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Where the programs go, with the script `run.sh` that runs and compares them
    #[arg(long, value_name = "FOLDER")]
    output: Option<PathBuf>,
}

/// True if every program was linked both ways and both have the same kernels and variables.
pub(crate) fn run(args: &Args, common: &Common) -> anyhow::Result<bool> {
    let root = common.root();
    let mut programs = read_programs(&root.join("suites/rdc"))?;
    programs.retain(|program| common.takes(&program.name));
    anyhow::ensure!(!programs.is_empty(), "no program has such a name");
    let mut ask = |offer: &_| fetch::decide(offer, common.yes);
    let search = Search::new(common.cuda_path.clone());
    let toolchain = search.find_or_install(&mut ask, &mut fetch::FetchProgress::default())?;
    let output = args.output.clone().unwrap_or_else(|| root.join("target/rdc"));
    let linker = Linker::new(toolchain.toolkit(), &output)?;
    let (mut rows, mut good) = (Vec::new(), 0);
    for program in &programs {
        eprintln!("{}", program.name);
        let (units, symbols, result) = match linker.build(program) {
            Err(error) => {
                println!("FAILED {}: {error:#}", program.name);
                (program.sources.len(), String::new(), "failed")
            }
            Ok(built) => {
                for text in built.differences.iter().chain(&built.remarks) {
                    println!("{}: {text}", program.name);
                }
                let is_same = built.differences.is_empty();
                good += usize::from(is_same);
                let result = if is_same { "linked" } else { "other symbols" };
                (built.units, built.kernels_and_variables.to_string(), result)
            }
        };
        rows.push(vec![program.name.clone(), units.to_string(), symbols, result.to_owned()]);
    }
    table::print(&["program", "units", "kernels and variables", "result"], &rows);
    let script = output.join("run.sh");
    fs::write(&script, RUN_SCRIPT).context("cannot write the script")?;
    fs::set_permissions(&script, fs::Permissions::from_mode(0o755))?;
    println!(
        "{good} of {} programs linked; on a machine with a GPU, run {}",
        rows.len(),
        script.display()
    );
    Ok(good == rows.len())
}
