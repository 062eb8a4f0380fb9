//! Which engine runs a program, and whether there is a GPU for it.

use anyhow::{Context, bail};
use std::path::Path;
use warpsan_gpu::{REAL_DRIVER_VARIABLE, real_driver};
use warpsan_runtime::{Engine, Options};
use warpsan_toolchain::{Environment, Search};

/// What the user wants.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum EngineChoice {
    /// The GPU if there is one and the detector works on it, else the CPU.
    Auto,
    /// The CPU.
    Cpu,
    /// The GPU.
    Gpu,
}

impl EngineChoice {
    /// The engine for a program. Where the CPU is needed for a reason, the GPU is refused; where the detector is one
    /// of the host, it is not taken by itself.
    pub(crate) fn for_program(
        self,
        needs_cpu: Option<&str>,
        checks_on_host: bool,
    ) -> anyhow::Result<Engine> {
        match (self, needs_cpu) {
            (EngineChoice::Cpu, _) | (EngineChoice::Auto, Some(_)) => Ok(Engine::Cpu),
            (EngineChoice::Auto, None) if checks_on_host => {
                tracing::info!("the CPU engine is used: the detector does not work on a GPU");
                Ok(Engine::Cpu)
            }
            (EngineChoice::Gpu, Some(reason)) => {
                bail!("{reason} is for the CPU engine; leave it out, or use --engine cpu")
            }
            (EngineChoice::Auto, None) => match gpu() {
                Ok(()) => Ok(Engine::Gpu),
                Err(error) => {
                    tracing::info!("the CPU engine is used: {error:#}");
                    Ok(Engine::Cpu)
                }
            },
            (EngineChoice::Gpu, None) => {
                driver().context("--engine gpu needs a GPU and its driver")?;
                Ok(Engine::Gpu)
            }
        }
    }

    /// The engine of a command that launches kernels by itself: the CPU, whose schedules can be chosen, unless the GPU is
    /// asked for.
    pub(crate) fn without_program(self, needs_cpu: Option<&str>) -> anyhow::Result<Engine> {
        match self {
            EngineChoice::Gpu => self.for_program(needs_cpu, false),
            EngineChoice::Auto | EngineChoice::Cpu => Ok(Engine::Cpu),
        }
    }
}

/// With fewer cores, what is assembled ahead would keep the program itself waiting.
const FEWEST_CORES: usize = 4;

/// Finds what the GPU engine needs on this machine. Without an assembler the driver compiles.
pub(crate) fn prepare_gpu(options: &mut Options, global: &crate::Global) -> anyhow::Result<()> {
    let toolchain = Search::new(global.cuda_path.clone()).find()?;
    options.gpu.ptxas = toolchain.and_then(|toolchain| toolchain.toolkit().ptxas());
    options.gpu.cache = Environment::of_process().cache_root().ok();
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let can_be_kept = options.gpu.ptxas.is_some() && options.gpu.cache.is_some();
    options.gpu.ahead = if cores < FEWEST_CORES || !can_be_kept { 0 } else { cores - 1 };
    Ok(())
}

/// A driver whose library is there, and devices that it can have. The driver is not started for that: it takes
/// longer than many programs, and a process that has started it cannot fork any more as it should.
fn gpu() -> anyhow::Result<()> {
    driver()?;
    // Whoever names a driver means it.
    let is_named = std::env::var_os(REAL_DRIVER_VARIABLE).is_some_and(|name| !name.is_empty());
    if !is_named && !has_device_files(Path::new("/dev")) {
        bail!("there is no device of a GPU in /dev");
    }
    Ok(())
}

/// The library of the driver. Whether it works and finds a device the program itself hears from it.
fn driver() -> anyhow::Result<()> {
    match real_driver() {
        Some(file) if file.is_file() => Ok(()),
        Some(file) => bail!("there is no driver {}", file.display()),
        None => bail!("there is no driver (libcuda.so.1) on this machine"),
    }
}

/// Whether the kernel of the system has files for GPUs: one for the driver and one for each device, or in
/// Windows' subsystem one for all.
fn has_device_files(folder: &Path) -> bool {
    let is_device = |entry: std::io::Result<std::fs::DirEntry>| {
        let name = entry.map(|entry| entry.file_name()).unwrap_or_default();
        let number = name.to_str().and_then(|name| name.strip_prefix("nvidia"));
        number.is_some_and(|number| number.parse::<u32>().is_ok())
    };
    let with_driver = folder.join("nvidiactl").exists()
        && std::fs::read_dir(folder).is_ok_and(|mut entries| entries.any(is_device));
    with_driver || folder.join("dxg").exists()
}

#[cfg(test)]
mod tests {
    use super::has_device_files;

    #[test]
    fn a_gpu_has_a_file_for_the_driver_and_one_of_its_own() {
        let folder = tempfile::tempdir().expect("a folder");
        let make = |name: &str| std::fs::write(folder.path().join(name), "").expect("a file");
        assert!(!has_device_files(folder.path()));
        make("nvidiactl");
        make("nvidia-uvm");
        make("nvidia-modeset");
        assert!(!has_device_files(folder.path()), "a driver without a device");
        make("nvidia3");
        assert!(has_device_files(folder.path()));
        assert!(!has_device_files(&folder.path().join("missing")));
    }

    #[test]
    fn the_subsystem_of_windows_has_one_file() {
        let folder = tempfile::tempdir().expect("a folder");
        std::fs::write(folder.path().join("dxg"), "").expect("a file");
        assert!(has_device_files(folder.path()));
    }
}
