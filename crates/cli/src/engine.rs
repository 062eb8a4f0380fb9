//! Which engine runs a program, and whether there is a GPU for it.

use anyhow::{Context, bail};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use warpsan_gpu::{real_driver, usable_devices};
use warpsan_runtime::Engine;

/// The command that counts devices, which is for us alone.
const COUNT_DEVICES: &str = "count-devices";

/// What the user wants.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum EngineChoice {
    /// The GPU if there is one, else the CPU.
    Auto,
    /// The CPU.
    Cpu,
    /// The GPU.
    Gpu,
}

impl EngineChoice {
    /// The engine for a program. Where the CPU is needed for a reason, the GPU is not taken by itself.
    pub(crate) fn for_program(self, needs_cpu: Option<&str>) -> anyhow::Result<Engine> {
        match (self, needs_cpu) {
            (EngineChoice::Cpu, _) | (EngineChoice::Auto, Some(_)) => Ok(Engine::Cpu),
            (EngineChoice::Gpu, Some(reason)) => {
                bail!("{reason} is for the CPU engine; leave it out, or use --engine cpu")
            }
            (EngineChoice::Auto, None) => match devices() {
                Ok(_) => Ok(Engine::Gpu),
                Err(error) => {
                    tracing::info!("the CPU engine is used: {error:#}");
                    Ok(Engine::Cpu)
                }
            },
            (EngineChoice::Gpu, None) => {
                devices().context("--engine gpu needs a GPU and its driver")?;
                Ok(Engine::Gpu)
            }
        }
    }

    /// Commands that run kernels by themselves have only the CPU.
    pub(crate) fn without_program(self) -> anyhow::Result<Engine> {
        match self {
            EngineChoice::Gpu => {
                bail!("only `warpsan run` has the GPU engine; use --engine cpu")
            }
            EngineChoice::Auto | EngineChoice::Cpu => Ok(Engine::Cpu),
        }
    }
}

/// Counts the devices that can be used. A process that has started the driver cannot fork any more as it
/// should, and a broken driver may take its process with it: so another process asks.
fn devices() -> anyhow::Result<usize> {
    let Some(driver) = real_driver() else {
        bail!("there is no driver (libcuda.so.1) on this machine");
    };
    let own = std::env::current_exe().context("cannot find the warpsan command")?;
    let output = Command::new(own).arg(COUNT_DEVICES).arg(&driver).output();
    let output = output.context("cannot start the warpsan command")?;
    let said = String::from_utf8_lossy(&output.stdout);
    let file = driver.display();
    match said.trim().parse() {
        Ok(0) => bail!("the driver {file} has no device"),
        Ok(count) => Ok(count),
        Err(_) if output.status.success() && !said.is_empty() => bail!("{file}: {}", said.trim()),
        Err(_) => bail!("the driver {file} cannot be started ({})", output.status),
    }
}

/// `warpsan count-devices FILE`: prints how many devices a driver has, or why that cannot be told.
#[derive(Debug, clap::Args)]
pub(crate) struct CountArgs {
    /// The library of the driver
    driver: PathBuf,
}

/// Runs that command.
pub(crate) fn count(args: &CountArgs) -> anyhow::Result<ExitCode> {
    use std::io::Write;
    let told = match usable_devices(Path::new(&args.driver)) {
        Ok(count) => count.to_string(),
        Err(error) => error,
    };
    writeln!(std::io::stdout(), "{told}").context("cannot write")?;
    Ok(ExitCode::SUCCESS)
}
