//! The C++ compiler that nvcc calls for the host's half of a program.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::process::Stdio;

use crate::cache::KeyBuilder;
use crate::{Error, Toolchain, flags};

/// The host compiler that nvcc would use.
#[derive(Clone, Debug)]
pub struct HostCompiler {
    path: PathBuf,
}

impl HostCompiler {
    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Its place, size and date, which change when another version is installed.
    pub(crate) fn add_to(&self, key: &mut KeyBuilder) {
        add_file_identity(&self.path, key);
    }
}

/// Adds what distinguishes one build of a large file from another, without reading it.
pub(crate) fn add_file_identity(path: &Path, key: &mut KeyBuilder) {
    let real = path.canonicalize().unwrap_or_else(|_| path.to_path_buf());
    key.add_path(&real);
    if let Ok(data) = real.metadata() {
        key.add(data.len().to_le_bytes());
        let age = data.modified().ok().and_then(|t| t.duration_since(std::time::UNIX_EPOCH).ok());
        key.add(age.unwrap_or_default().as_nanos().to_le_bytes());
    }
}

impl Toolchain {
    /// The host compiler for an nvcc with these arguments. nvcc calls `gcc` to compile and `g++` to
    /// link, unless `-ccbin` or `NVCC_CCBIN` names another one.
    pub fn host_compiler(&self, arguments: &[OsString]) -> Result<HostCompiler, Error> {
        let environment = &self.environment;
        let chosen = flags::values(arguments, &["-ccbin", "--compiler-bindir"]);
        let chosen = chosen.last().copied().or_else(|| environment.get("NVCC_CCBIN"));
        if let Some(chosen) = chosen {
            let missing =
                || Error::HostCompilerMissing { program: chosen.to_string_lossy().into_owned() };
            let in_folder = Path::new(chosen).join("g++");
            let program = if Path::new(chosen).is_dir() { in_folder.as_os_str() } else { chosen };
            let path = environment.find_program(program).ok_or_else(missing)?;
            return Ok(HostCompiler { path });
        }
        let find = |name: &str| {
            environment
                .find_program(OsStr::new(name))
                .ok_or_else(|| Error::HostCompilerMissing { program: name.to_owned() })
        };
        find("gcc")?;
        Ok(HostCompiler { path: find("g++")? })
    }

    /// What the host compiler calls its version.
    pub fn host_compiler_version(&self, compiler: &HostCompiler) -> Result<String, Error> {
        let mut command = self.command(&compiler.path);
        let output = command.arg("-dumpfullversion").stdin(Stdio::null()).output();
        let output = output.map_err(Error::io("start", &compiler.path))?;
        let version = String::from_utf8_lossy(&output.stdout).trim().to_owned();
        if output.status.success() && !version.is_empty() {
            return Ok(version);
        }
        let program = compiler.path.clone();
        Err(Error::ProgramFailed { program, detail: "does not print its version".to_owned() })
    }
}
