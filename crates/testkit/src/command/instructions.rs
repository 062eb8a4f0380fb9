//! `instructions`: what a GPU computes, instruction by instruction.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::Context;
use warpsan_testkit::instructions::{emit, pack};

use super::Common;

/// Write the kernels of all instruction forms for a GPU to run, or store what it computed
#[derive(Debug, clap::Args)]
#[group(required = true, multiple = false)]
pub(crate) struct Args {
    /// Write the modules, their inputs and the script `run.sh` to this folder
    #[arg(long, value_name = "FOLDER")]
    emit: Option<PathBuf>,
    /// Take `outputs.bin` and `origin.txt` from this folder and store them in `suites/instructions`
    #[arg(long, value_name = "FOLDER")]
    record: Option<PathBuf>,
}

/// Always true: what goes wrong is an error.
pub(crate) fn run(args: &Args, common: &Common) -> anyhow::Result<bool> {
    let suite = common.root().join("suites/instructions");
    if let Some(folder) = &args.emit {
        let kernels = emit(folder)
            .with_context(|| format!("cannot write the kernels to {}", folder.display()))?;
        for file in ["record.cpp", "run.sh"] {
            fs::copy(suite.join(file), folder.join(file))
                .with_context(|| format!("cannot copy {file} to {}", folder.display()))?;
        }
        println!(
            "{kernels} kernels written; on a machine with an sm_90 GPU, run {} OUTPUT DATE",
            folder.join("run.sh").display()
        );
    }
    if let Some(folder) = &args.record {
        let outputs = read(folder, "outputs.bin")?;
        let origin = String::from_utf8(read(folder, "origin.txt")?)
            .context("origin.txt is not the text that run.sh writes")?;
        pack(&outputs, &suite)?;
        fs::write(suite.join("ORIGIN.md"), origin_text(&origin))?;
        println!("stored in {}", suite.display());
    }
    Ok(true)
}

fn read(folder: &Path, file: &str) -> anyhow::Result<Vec<u8>> {
    let path = folder.join(file);
    fs::read(&path).with_context(|| format!("cannot read {}; run.sh writes it", path.display()))
}

/// The origin as a list.
fn origin_text(origin: &str) -> String {
    let mut text = String::from(
        "# Where the results come from\n\nThe files `*.bin` and `kernels.txt` were computed by this GPU. The kernels were \
         assembled by ptxas of CUDA 13.0\nwith `-arch=sm_90`.\n\n",
    );
    for line in origin.lines() {
        text.push_str(&format!("- {line}\n"));
    }
    text
}
