//! The programs as executables, each in a folder of its own that is found again by what it was built from.

use std::ffi::OsString;
use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::Context;
use warpsan_toolchain::Toolchain;

use super::program::Program;
use crate::corpus::{Key, Store};

/// The architecture of programs that name none.
const ARCHITECTURE: &str = "sm_90";

/// Which CUDA runtime a program is linked with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Cudart {
    /// `libcudart.so`.
    Shared,
    /// `libcudart_static.a`, which nvcc takes by itself.
    Static,
}

/// How the code of the device is compiled.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Code {
    /// With optimisation and line information.
    Optimised,
    /// With `-G`.
    Debug,
}

/// One way to build a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Variant {
    /// The runtime.
    pub cudart: Cudart,
    /// The code of the device.
    pub code: Code,
}

impl Variant {
    fn flags(self) -> Vec<&'static str> {
        let cudart = match self.cudart {
            Cudart::Shared => "-cudart=shared",
            Cudart::Static => "-cudart=static",
        };
        match self.code {
            Code::Optimised => vec![cudart, "-lineinfo", "-O3"],
            Code::Debug => vec![cudart, "-G"],
        }
    }
}

impl fmt::Display for Variant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self.cudart {
            Cudart::Shared => "shared ",
            Cudart::Static => "static ",
        })?;
        f.write_str(match self.code {
            Code::Optimised => "-O3",
            Code::Debug => "-G",
        })
    }
}

/// Builds programs and keeps them.
#[derive(Debug)]
pub struct Builder {
    toolchain: Toolchain,
    version: String,
    store: Store,
    /// The folder of the suite, which has the headers.
    suite: PathBuf,
    /// The headers with what is in them: programs include some, and all count.
    headers: Vec<Vec<u8>>,
}

impl Builder {
    /// Keeps what it builds from the suite's folder in the folder `kept`.
    pub fn new(toolchain: Toolchain, suite: &Path, kept: PathBuf) -> anyhow::Result<Self> {
        let version = toolchain.toolkit().version()?;
        let unreadable = || format!("cannot read {}", suite.display());
        let suite = std::path::absolute(suite).with_context(unreadable)?;
        let mut paths = Vec::new();
        for entry in fs::read_dir(&suite).with_context(unreadable)? {
            let path = entry.with_context(unreadable)?.path();
            if path.extension().is_some_and(|extension| extension == "h") {
                paths.push(path);
            }
        }
        paths.sort();
        let headers: Result<_, _> = paths.iter().map(fs::read).collect();
        let headers = headers.with_context(unreadable)?;
        Ok(Self { toolchain, version, store: Store::new(kept), suite, headers })
    }

    /// The version of the compiler, as in `13.0.88`.
    pub fn compiler_version(&self) -> &str {
        &self.version
    }

    /// The executable of a program, with its plug-ins beside it.
    pub fn build(&self, program: &Program, variant: Variant) -> anyhow::Result<PathBuf> {
        let folder = self.store.path(&self.key(program, variant));
        if !folder.is_dir() {
            let shelf = folder.parent().unwrap_or(Path::new("."));
            let unwritten = || format!("cannot write to {}", shelf.display());
            fs::create_dir_all(shelf).with_context(unwritten)?;
            let draft = tempfile::tempdir_in(shelf).with_context(unwritten)?;
            self.compile(program, variant, draft.path())?;
            // Somebody who builds the same at the same time may be first.
            if let Err(error) = fs::rename(draft.path(), &folder)
                && !folder.is_dir()
            {
                return Err(error).with_context(unwritten);
            }
        }
        Ok(folder.join(&program.name))
    }

    fn key(&self, program: &Program, variant: Variant) -> Key {
        let compiler = self.toolchain.toolkit().nvcc().as_os_str().as_encoded_bytes();
        // Paths are part of the line tables.
        let mut parts =
            vec![compiler, self.version.as_bytes(), self.suite.as_os_str().as_encoded_bytes()];
        parts.push(program.name.as_bytes());
        parts.extend(variant.flags().into_iter().map(str::as_bytes));
        parts.extend(self.headers.iter().map(Vec::as_slice));
        parts.extend(program.files.iter().map(|file| file.text.as_bytes()));
        Key::new("program of the suite", parts)
    }

    fn compile(&self, program: &Program, variant: Variant, folder: &Path) -> anyhow::Result<()> {
        let architecture = program.head.architecture.as_deref().unwrap_or(ARCHITECTURE);
        let mut common: Vec<OsString> =
            ["-std=c++17", "-g", "-arch", architecture].map(OsString::from).to_vec();
        common.extend(variant.flags().into_iter().map(OsString::from));
        let mut include = OsString::from("-I");
        include.push(&self.suite);
        common.push(include);
        for source in program.plugin_sources() {
            let name = source.file_stem().unwrap_or_default();
            let mut arguments = common.clone();
            arguments.extend(["-shared", "-Xcompiler", "-fPIC", "-o"].map(OsString::from));
            arguments.push(folder.join(name).with_extension("so").into());
            arguments.push(source.into());
            self.nvcc(&arguments)?;
        }
        let mut arguments = common;
        arguments.extend(program.head.flags.iter().map(OsString::from));
        arguments.extend(["-o".into(), folder.join(&program.name).into()]);
        arguments.extend(program.linked_sources().map(OsString::from));
        arguments.extend(["-ldl", "-lpthread"].map(OsString::from));
        self.nvcc(&arguments)
    }

    fn nvcc(&self, arguments: &[OsString]) -> anyhow::Result<()> {
        let mut command = self.toolchain.nvcc_command(arguments)?;
        let ended = command.stdin(std::process::Stdio::null()).output();
        let ended = ended.context("nvcc cannot be started")?;
        match ended.status.success() {
            true => Ok(()),
            false => {
                let said = [ended.stdout, ended.stderr].concat();
                anyhow::bail!("it cannot be built: {}", String::from_utf8_lossy(&said).trim())
            }
        }
    }
}
