//! `warpsan toolchain [install]`: which compiler is used, and how to get one.

use std::fmt::Display;
use std::io::Write;
use std::process::ExitCode;

use warpsan_toolchain::{Environment, Installer, Search, Toolchain};

use crate::consent::{FetchProgress, decide};

/// Show which CUDA compiler is used, or fetch one
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(subcommand)]
    action: Option<Action>,
}

#[derive(Debug, Clone, Copy, clap::Subcommand)]
enum Action {
    /// Fetch NVIDIA's compiler into warpsan's private cache, after consent
    Install,
}

/// Ends with 2 where there is no compiler.
pub(crate) fn run(args: &Args, global: &crate::Global) -> anyhow::Result<ExitCode> {
    let search = Search::new(global.cuda_path.clone());
    if let Some(Action::Install) = args.action {
        install(&search, global)?;
    }
    match search.find()? {
        Some(toolchain) => {
            show(&toolchain)?;
            Ok(ExitCode::SUCCESS)
        }
        None => {
            let mut out = std::io::stdout().lock();
            writeln!(out, "There is no CUDA compiler. Set CUDA_HOME to a toolkit's folder, pass")?;
            writeln!(out, "--cuda-path, or run `warpsan toolchain install`.")?;
            writeln!(out, "{}", Installer::new(&search.environment)?.offer())?;
            Ok(ExitCode::from(2))
        }
    }
}

/// Installs also where another compiler is found: the user asked for it, and the search order still holds.
fn install(search: &Search, global: &crate::Global) -> anyhow::Result<()> {
    let installer = Installer::new(&Environment::of_process())?;
    if installer.installed().is_none() {
        let consent = decide(installer.offer(), global.yes).into_consent()?;
        search.install(&installer, consent, &mut FetchProgress::default())?;
    }
    Ok(())
}

fn show(toolchain: &Toolchain) -> anyhow::Result<()> {
    let toolkit = toolchain.toolkit();
    let mut out = std::io::stdout().lock();
    let host = toolchain.host_compiler(&[]);
    let lines = [
        ("toolkit", toolkit.root().display().to_string()),
        ("found by", toolkit.origin().to_string()),
        ("nvcc", state(toolkit.version(), toolkit.nvcc().display())),
        (
            "nvrtc",
            match toolkit.nvrtc_library() {
                Some(library) => state(toolchain.nvrtc_version(), library.display()),
                None => "not in this toolkit; kernel-only files go through nvcc".to_owned(),
            },
        ),
        (
            "ptxas",
            match toolkit.ptxas() {
                Some(ptxas) => ptxas.display().to_string(),
                None => "not in this toolkit".to_owned(),
            },
        ),
        (
            "g++",
            match host {
                Ok(host) => state(toolchain.host_compiler_version(&host), host.path().display()),
                Err(missing) => format!("missing: {missing}"),
            },
        ),
    ];
    for (label, value) in lines {
        writeln!(out, "{label:<9} {value}")?;
    }
    Ok(())
}

/// A version and where it is, or why it does not work.
fn state(version: Result<String, warpsan_toolchain::Error>, place: impl Display) -> String {
    match version {
        Ok(version) => format!("{version}  {place}"),
        Err(error) => format!("{place}  does not work: {error}"),
    }
}
