//! What can go wrong on the way to a compiler and through it; each message says what to do.

use std::path::{Path, PathBuf};

use crate::wheels::{COMPILER, DEVELOPER_TOOLS};

/// A failure to find, fetch or use the CUDA compiler.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A folder that the user named explicitly is not a toolkit.
    #[error(
        "{given_by} names {folder}, but {missing} is not there or is not executable. \
         Point {given_by} to the folder of a CUDA toolkit (the one with bin/nvcc), or unset it"
    )]
    NoToolkitThere {
        /// The flag or variable.
        given_by: &'static str,
        /// Its value.
        folder: PathBuf,
        /// The file that makes a folder a toolkit.
        missing: PathBuf,
    },
    /// The nvcc on `PATH` stands in no toolkit and does not say where its toolkit is.
    #[error(
        "{nvcc} was found on PATH, but its toolkit was not: {detail}. \
         Set CUDA_HOME to the toolkit's folder, or pass --cuda-path"
    )]
    PathCompilerUnusable {
        /// The nvcc on `PATH`.
        nvcc: PathBuf,
        /// Why it is of no use.
        detail: String,
    },
    /// Neither of the variables that place the cache is set.
    #[error(
        "there is no folder for warpsan's cache: neither WARPSAN_CACHE_DIR nor XDG_CACHE_HOME \
         nor HOME is set to an absolute path. Set WARPSAN_CACHE_DIR"
    )]
    NoCacheFolder,
    /// A relative folder for the cache.
    #[error("{variable} is set to {folder}, which is not an absolute path. Set it to one")]
    RelativeCacheFolder {
        /// The variable.
        variable: &'static str,
        /// Its value.
        folder: PathBuf,
    },
    /// The user said no.
    #[error("the CUDA compiler was not fetched, as you asked. {}", OWN_COMPILER)]
    ConsentRefused,
    /// Nobody could be asked.
    #[error(
        "there is no CUDA compiler, and warpsan does not fetch NVIDIA's packages ({packages}) \
         without being asked to: run `warpsan toolchain install --yes`. {}",
        OWN_COMPILER
    )]
    ConsentUnavailable {
        /// What would have been fetched.
        packages: String,
    },
    /// Nobody could be asked about the developers' tools, or they said no.
    #[error(
        "work on warpsan itself needs more of NVIDIA's packages ({packages}), which are not \
         fetched without a yes: pass --yes, or set CI in the environment"
    )]
    DeveloperToolsUnavailable {
        /// What would have been fetched.
        packages: String,
    },
    /// There are no compiler wheels for this kind of machine.
    #[error("NVIDIA offers no compiler wheels for {os} on {arch}. {}", OWN_COMPILER)]
    NoWheelsForThisMachine {
        /// The operating system.
        os: &'static str,
        /// The processor architecture.
        arch: &'static str,
    },
    /// Without Python there is no pip.
    #[error(
        "fetching the CUDA compiler ({packages}) needs python3 with pip, and there is no python3 \
         on PATH: install it. {}",
        OWN_COMPILER
    )]
    PythonMissing {
        /// What would have been fetched.
        packages: String,
    },
    /// Python has no pip.
    #[error(
        "fetching the CUDA compiler ({packages}) needs pip, and `{} -m pip --version` failed \
         ({detail}): install python3-pip. {}",
        python.display(),
        OWN_COMPILER
    )]
    PipMissing {
        /// The Python that was asked.
        python: PathBuf,
        /// What would have been fetched.
        packages: String,
        /// What Python said.
        detail: String,
    },
    /// pip ended with an error.
    #[error(
        "pip could not fetch the CUDA compiler ({packages}); its last lines were:\n{output}\n\
         Check the network and pip's proxy and mirror settings. {}",
        OWN_COMPILER
    )]
    FetchFailed {
        /// What was to be fetched.
        packages: String,
        /// The end of what pip said.
        output: String,
    },
    /// pip ended well, but a file is missing.
    #[error(
        "pip reported success, but what it installed has no {missing}. \
         Run `warpsan toolchain install` again. {}",
        OWN_COMPILER
    )]
    FetchIncomplete {
        /// The file, relative to the folder of the installation.
        missing: &'static str,
    },
    /// The toolkit has no NVRTC.
    #[error(
        "{root} has no libnvrtc.so.13 or libnvrtc.so.12 (or its libnvrtc-builtins), which compiles \
         kernel-only files: install CUDA's NVRTC package, or use another toolkit (CUDA_HOME, --cuda-path)"
    )]
    NvrtcMissing {
        /// The toolkit.
        root: PathBuf,
    },
    /// NVRTC cannot be loaded or answers nonsense.
    #[error("{library} does not work: {detail}. Use another toolkit (CUDA_HOME, --cuda-path)")]
    NvrtcUnusable {
        /// The library.
        library: PathBuf,
        /// What failed.
        detail: String,
    },
    /// The compiler found errors in the source.
    #[error("{source_file} does not compile:\n{log}")]
    DoesNotCompile {
        /// The file, as the caller named it.
        source_file: PathBuf,
        /// What the compiler said, about the file as the caller named it.
        log: String,
    },
    /// nvcc has no host compiler.
    #[error(
        "nvcc needs {program} as host compiler, and it is not on PATH: install g++ \
         (package g++ or gcc-c++), or name another one with -ccbin or NVCC_CCBIN"
    )]
    HostCompilerMissing {
        /// The program that is missing.
        program: String,
    },
    /// A file cannot be a compiler's input.
    #[error("{path} cannot be compiled: {detail}")]
    UnusableSource {
        /// The file.
        path: PathBuf,
        /// Why.
        detail: &'static str,
    },
    /// A compiler could not be started or did not answer.
    #[error("`{}` {detail}", program.display())]
    ProgramFailed {
        /// The program.
        program: PathBuf,
        /// What happened.
        detail: String,
    },
    /// The file system said no.
    #[error("cannot {action} {path}: {error}")]
    Io {
        /// What was tried.
        action: &'static str,
        /// On which file or folder.
        path: PathBuf,
        /// What the system answered.
        error: std::io::Error,
    },
}

/// The way out that every message about a missing compiler ends with.
const OWN_COMPILER: &str =
    "To use a CUDA toolkit of your own, set CUDA_HOME to its folder, or pass --cuda-path";

impl Error {
    /// For `map_err`: what was tried on which path.
    pub(crate) fn io(
        action: &'static str,
        path: impl AsRef<Path>,
    ) -> impl FnOnce(std::io::Error) -> Self {
        let path = path.as_ref().to_path_buf();
        move |error| Self::Io { action, path, error }
    }

    /// Nobody could be asked whether the pinned packages may be fetched.
    pub fn consent_unavailable() -> Self {
        Self::ConsentUnavailable { packages: COMPILER.package_list() }
    }

    /// Nobody could be asked whether the developers' packages may be fetched.
    pub(crate) fn developer_tools_unavailable() -> Self {
        Self::DeveloperToolsUnavailable { packages: DEVELOPER_TOOLS.package_list() }
    }
}
