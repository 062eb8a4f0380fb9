//! A CUDA toolkit on the disk: which compilers, headers and libraries it has.
//!
//! Three layouts occur: NVIDIA's installer (`bin`, `include`, `lib64`, `nvvm`), the wheels (`lib` in
//! place of `lib64`), and distributions and conda (`targets/…` or multiarch folders).

use std::fmt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::environment::{Environment, is_executable};
use crate::{Error, cache::CompileCache};

/// Which rule of the search found a toolkit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// The flag `--cuda-path`.
    Flag,
    /// The variable `CUDA_HOME`.
    CudaHome,
    /// The variable `CUDA_PATH`.
    CudaPath,
    /// An nvcc on `PATH`.
    Path,
    /// The usual folder, `/usr/local/cuda`.
    UsualFolder,
    /// The wheels that warpsan fetched.
    Cache,
}

impl fmt::Display for Origin {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(match self {
            Self::Flag => "--cuda-path",
            Self::CudaHome => "CUDA_HOME",
            Self::CudaPath => "CUDA_PATH",
            Self::Path => "nvcc on PATH",
            Self::UsualFolder => "the usual folder",
            Self::Cache => "fetched by warpsan",
        })
    }
}

/// A folder with nvcc in it.
#[derive(Clone, Debug)]
pub struct Toolkit {
    root: PathBuf,
    nvcc: PathBuf,
    origin: Origin,
}

impl Toolkit {
    /// The toolkit in that folder, if nvcc is there.
    pub(crate) fn at(root: &Path, origin: Origin) -> Option<Self> {
        let nvcc = root.join("bin/nvcc");
        is_executable(&nvcc).then(|| Self { root: root.to_path_buf(), nvcc, origin })
    }

    /// The toolkit's folder.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// The compiler driver.
    pub fn nvcc(&self) -> &Path {
        &self.nvcc
    }

    /// Which rule of the search found it.
    pub fn origin(&self) -> Origin {
        self.origin
    }

    /// The assembler for PTX, if the toolkit has it.
    pub fn ptxas(&self) -> Option<PathBuf> {
        Some(self.root.join("bin/ptxas")).filter(|path| is_executable(path))
    }

    /// Folders with CUDA's own headers, for compilers that do not know them by themselves.
    pub fn include_folders(&self) -> Vec<PathBuf> {
        let mut folders: Vec<PathBuf> = ["include", "include/cccl"]
            .iter()
            .map(|name| self.root.join(name))
            .filter(|folder| folder.is_dir())
            .collect();
        for target in TARGETS {
            let folder = self.root.join("targets").join(target).join("include");
            if folder.join("cuda_runtime.h").is_file() && !same_file(&folder, &folders) {
                let bundled = folder.join("cccl");
                folders.push(folder);
                folders.extend(Some(bundled).filter(|folder| folder.is_dir()));
            }
        }
        folders
    }

    /// Folders that may hold CUDA's libraries, the likeliest first.
    pub fn library_folders(&self) -> Vec<PathBuf> {
        let names = ["lib64".to_owned(), "lib".to_owned()]
            .into_iter()
            .chain(TARGETS.iter().map(|target| format!("targets/{target}/lib")))
            .chain([format!("lib/{}-linux-gnu", std::env::consts::ARCH)]);
        names.map(|name| self.root.join(name)).filter(|folder| folder.is_dir()).collect()
    }

    /// The newest NVRTC that has its builtins library beside it.
    pub fn nvrtc_library(&self) -> Option<PathBuf> {
        self.library_folders().into_iter().find_map(|folder| {
            ["libnvrtc.so.13", "libnvrtc.so.12"]
                .iter()
                .map(|name| folder.join(name))
                .find(|library| library.is_file() && nvrtc_builtins(library).is_some())
        })
    }

    /// What `nvcc --version` says, as in `13.0.88`.
    pub fn version(&self) -> Result<String, Error> {
        let text = self.version_text()?;
        let version = text.split_whitespace().rev().find_map(|word| {
            word.strip_prefix('V').filter(|rest| rest.starts_with(|c: char| c.is_ascii_digit()))
        });
        version.map(str::to_owned).ok_or_else(|| Error::ProgramFailed {
            program: self.nvcc.clone(),
            detail: format!("--version printed no version, but: {}", text.trim()),
        })
    }

    /// All that `nvcc --version` prints; it distinguishes one build of the compiler from another.
    pub(crate) fn version_text(&self) -> Result<String, Error> {
        let mut command = Command::new(&self.nvcc);
        command.arg("--version").stdin(Stdio::null());
        let failed = |detail| Error::ProgramFailed { program: self.nvcc.clone(), detail };
        let output =
            command.output().map_err(|error| failed(format!("could not be started: {error}")))?;
        if !output.status.success() {
            let said = String::from_utf8_lossy(&output.stderr).trim().to_owned();
            return Err(failed(format!("--version ended with {}: {said}", output.status)));
        }
        Ok(String::from_utf8_lossy(&output.stdout).into_owned())
    }
}

/// The names of `targets/…` for this machine; an ARM server is `sbsa`.
const TARGETS: &[&str] = if cfg!(target_arch = "aarch64") {
    &["sbsa-linux", "aarch64-linux"]
} else {
    &["x86_64-linux"]
};

fn same_file(folder: &Path, others: &[PathBuf]) -> bool {
    let Ok(real) = folder.canonicalize() else { return false };
    others.iter().any(|other| other.canonicalize().is_ok_and(|other| other == real))
}

/// The library that NVRTC opens while it compiles; it must be there, in the same folder.
pub(crate) fn nvrtc_builtins(nvrtc: &Path) -> Option<PathBuf> {
    let major = nvrtc.file_name()?.to_str()?.strip_prefix("libnvrtc.so.")?;
    let prefix = format!("libnvrtc-builtins.so.{major}.");
    let entries = nvrtc.parent()?.read_dir().ok()?;
    // A toolkit has exactly one minor version; of several files (13.0, 13.0.88) the name that NVRTC
    // asks for is the shortest.
    entries
        .flatten()
        .filter(|entry| entry.file_name().to_str().is_some_and(|name| name.starts_with(&prefix)))
        .map(|entry| entry.path())
        .min_by_key(|path| path.as_os_str().len())
}

/// A toolkit, the variables its programs are started with, and the cache of what it compiled.
#[derive(Clone, Debug)]
pub struct Toolchain {
    pub(crate) toolkit: Toolkit,
    pub(crate) environment: Environment,
    pub(crate) cache: CompileCache,
}

impl Toolchain {
    pub(crate) fn new(toolkit: Toolkit, environment: Environment) -> Self {
        let cache = CompileCache::new(environment.cache_root().ok());
        Self { toolkit, environment, cache }
    }

    /// The toolkit in use.
    pub fn toolkit(&self) -> &Toolkit {
        &self.toolkit
    }

    /// A program that gets this toolchain's environment.
    pub(crate) fn command(&self, program: &Path) -> Command {
        let mut command = Command::new(program);
        command.env_clear().envs(self.environment.variables());
        command
    }
}
