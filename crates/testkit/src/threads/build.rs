//! The programs as executables, each in a folder of its own that is found again by what it was built from.

use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::Context;

use super::compiler::Compiler;
use super::program::Program;
use crate::corpus::{Key, Store};

/// The name of every executable.
const EXECUTABLE: &str = "program";

/// How a program gets the runtime of `-fsanitize=thread`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Linking {
    /// Not at all: there is no sanitizer.
    Plain,
    /// As the compiler does it by itself: gcc's is a shared object, clang's is in the program.
    Usual,
    /// As a shared object, with clang.
    SharedRuntime,
}

/// One way to build a program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Way {
    /// Who builds it.
    pub compiler: Compiler,
    /// The level of optimisation, as in `-O2`.
    pub level: String,
    /// Its runtime.
    pub linking: Linking,
}

impl Way {
    fn flags(&self) -> anyhow::Result<Vec<String>> {
        let mut flags = vec![self.level.clone()];
        if self.linking != Linking::Plain {
            flags.push("-fsanitize=thread".to_owned());
        }
        if self.linking == Linking::SharedRuntime {
            flags.extend(self.compiler.shared_runtime_flags()?);
        }
        flags.extend(["-g", "-w", "-pthread"].map(str::to_owned));
        Ok(flags)
    }
}

impl fmt::Display for Way {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.compiler.name, self.level)?;
        match self.linking {
            Linking::SharedRuntime => f.write_str(" -shared-libsan"),
            Linking::Plain | Linking::Usual => Ok(()),
        }
    }
}

/// Builds programs and keeps them.
#[derive(Debug)]
pub struct Builder {
    store: Store,
    /// The header that programs include, with what is in it.
    header: Vec<u8>,
}

impl Builder {
    /// Keeps what it builds of the suite's programs in the folder `kept`.
    pub fn new(suite: &Path, kept: PathBuf) -> anyhow::Result<Self> {
        let header = suite.join("support.h");
        let header =
            fs::read(&header).with_context(|| format!("cannot read {}", header.display()))?;
        Ok(Self { store: Store::new(kept), header })
    }

    /// The executable of a program, with its plug-ins beside it.
    pub fn build(&self, program: &Program, way: &Way) -> anyhow::Result<PathBuf> {
        let flags = way.flags()?;
        let folder = self.store.path(&self.key(program, way, &flags));
        if !folder.is_dir() {
            let shelf = folder.parent().unwrap_or(Path::new("."));
            let unwritten = || format!("cannot write to {}", shelf.display());
            fs::create_dir_all(shelf).with_context(unwritten)?;
            let draft = tempfile::tempdir_in(shelf).with_context(unwritten)?;
            compile(program, &way.compiler, &flags, draft.path())?;
            // Somebody who builds the same at the same time may be first.
            if let Err(error) = fs::rename(draft.path(), &folder)
                && !folder.is_dir()
            {
                return Err(error).with_context(unwritten);
            }
        }
        Ok(folder.join(EXECUTABLE))
    }

    fn key(&self, program: &Program, way: &Way, flags: &[String]) -> Key {
        let Compiler { name, version } = &way.compiler;
        // Paths are part of the line tables.
        let path = program.source().as_os_str().as_encoded_bytes();
        let mut parts = vec![name.as_bytes(), version.as_bytes(), path, &self.header];
        parts.extend(flags.iter().map(String::as_bytes));
        parts.extend(program.files.iter().map(|file| file.text.as_bytes()));
        Key::new("program with threads", parts)
    }
}

fn compile(
    program: &Program,
    compiler: &Compiler,
    flags: &[String],
    folder: &Path,
) -> anyhow::Result<()> {
    for source in program.plugins() {
        let name = source.file_stem().unwrap_or_default();
        let mut command = command_for(source, compiler, flags);
        command.args(["-fPIC", "-shared"]).arg(source);
        run(command.arg("-o").arg(folder.join(name).with_extension("so")))?;
    }
    let mut command = command_for(program.source(), compiler, flags);
    command.args(&program.head.flags).arg(program.source());
    command.arg("-o").arg(folder.join(EXECUTABLE));
    run(command.args(&program.head.libraries).arg("-ldl"))
}

fn command_for(source: &Path, compiler: &Compiler, flags: &[String]) -> Command {
    let mut command = compiler.command_for(source);
    let is_cpp = source.extension().is_some_and(|ending| ending == "cpp");
    command.arg(if is_cpp { "-std=c++17" } else { "-std=gnu11" }).args(flags);
    command
}

/// Runs a compiler, which has to succeed.
pub(crate) fn run(command: &mut Command) -> anyhow::Result<()> {
    let name = Path::new(command.get_program()).display().to_string();
    let ended = command.stdin(Stdio::null()).output();
    let ended = ended.with_context(|| format!("{name} cannot be started"))?;
    if ended.status.success() {
        return Ok(());
    }
    let said = String::from_utf8_lossy(&ended.stderr).into_owned();
    let line = said.lines().find(|line| line.contains("error")).unwrap_or(said.trim());
    anyhow::bail!("it cannot be built by {name}: {line}")
}
