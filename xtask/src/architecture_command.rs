//! `architecture`: the checks of ARCHITECTURE.md, and all circles among files, also those that are short enough.

use anyhow::ensure;
use xtask::architecture::{CHECKS, MOST_FILES_IN_A_CIRCLE, circles_of_workspace};

use crate::process::workspace_root;

/// The workspace is as ARCHITECTURE.md says; which files of a crate import each other in circles
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Show what the files of each circle use of each other
    #[arg(long)]
    uses: bool,
}

/// Prints what each check finds, and fails if one finds anything.
pub(crate) fn run(args: &Args) -> anyhow::Result<()> {
    let root = workspace_root();
    let mut failed = 0;
    for (holds_to, check) in CHECKS {
        let violations = check(&root)?;
        println!("{}: {holds_to}", if violations.is_empty() { "ok" } else { "FAILED" });
        for violation in &violations {
            println!("    {violation}");
        }
        failed += usize::from(!violations.is_empty());
    }
    let circles = circles_of_workspace(&root)?;
    println!("\n{} circles; at most {MOST_FILES_IN_A_CIRCLE} files may be in one", circles.len());
    for circle in &circles {
        println!("    {circle}");
        for uses in circle.uses.iter().filter(|_| args.uses) {
            println!("        {uses}");
        }
    }
    ensure!(failed == 0, "{failed} of {} checks failed", CHECKS.len());
    Ok(())
}
