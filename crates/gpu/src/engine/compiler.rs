//! Instrumented text to machine code, which is kept on disk: by the assembler, or left to the driver where there is none.

use super::EngineSettings;
use super::cache::{keep, name_of};
use super::claims::Claim;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// The time until somebody who waits for another one's work looks again.
const LOOK_AGAIN: Duration = Duration::from_millis(4);

/// Machine code, or text that the driver compiles.
#[derive(Debug)]
pub(super) enum Compiled {
    Cubin(Vec<u8>),
    Text(String),
}

impl Compiled {
    /// Bytes of machine code; none where only the driver knows.
    pub(super) fn bytes(&self) -> usize {
        match self {
            Compiled::Cubin(bytes) => bytes.len(),
            Compiled::Text(_) => 0,
        }
    }
}

/// The assembler, and where its results are kept.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Assembly<'a> {
    /// None where the driver compiles.
    pub(super) ptxas: Option<&'a Path>,
    pub(super) cache: Option<&'a Path>,
    /// Whoever sets this does not want the results any more.
    pub(super) stop: Option<&'a AtomicBool>,
}

impl EngineSettings {
    /// The assembler of a program's engine.
    pub(super) fn assembly(&self) -> Assembly<'_> {
        Assembly { ptxas: self.ptxas.as_deref(), cache: self.cache.as_deref(), stop: None }
    }
}

impl Assembly<'_> {
    fn is_stopped(&self) -> bool {
        self.stop.is_some_and(|stop| stop.load(Ordering::Relaxed))
    }
}

/// Compiles a module for an architecture, or finds what was compiled before.
pub(super) fn compile(
    settings: &EngineSettings,
    text: String,
    target: &str,
) -> Result<Compiled, AssemblerError> {
    compile_with(settings.assembly(), text, target, &[])
}

/// The same with flags of the assembler. What another process or thread is about to make is waited for.
pub(super) fn compile_with(
    assembly: Assembly<'_>,
    text: String,
    target: &str,
    flags: &[&str],
) -> Result<Compiled, AssemblerError> {
    let Some(ptxas) = assembly.ptxas else { return Ok(Compiled::Text(text)) };
    let kept = assembly.cache.map(|cache| place_of(cache, ptxas, &text, target, flags));
    let mut claim = None;
    while let Some(kept) = &kept {
        if let Ok(bytes) = std::fs::read(kept) {
            return Ok(Compiled::Cubin(bytes));
        }
        if assembly.is_stopped() {
            return Err(AssemblerError::Stopped);
        }
        // It may have been made since.
        if claim.is_some() {
            break;
        }
        claim = Claim::of(kept);
        if claim.is_none() {
            std::thread::sleep(LOOK_AGAIN);
        }
    }
    let bytes =
        fast_or_slow(|more| assemble(assembly, ptxas, &text, target, &[flags, more].concat()))?;
    if let Some(kept) = &kept {
        keep(kept, &bytes);
    }
    drop(claim);
    Ok(Compiled::Cubin(bytes))
}

/// Whether a module was compiled before.
pub(super) fn is_kept(assembly: Assembly<'_>, text: &str, target: &str, flags: &[&str]) -> bool {
    let places = assembly.ptxas.zip(assembly.cache);
    places.is_some_and(|(ptxas, cache)| place_of(cache, ptxas, text, target, flags).exists())
}

/// The file of a module: its name says the text, the architecture, and the assembler with its flags.
fn place_of(cache: &Path, ptxas: &Path, text: &str, target: &str, flags: &[&str]) -> PathBuf {
    let assembler = format!("{} {}", Assembler::of(ptxas).in_words(), flags.join(" "));
    let name = name_of(&[text.as_bytes(), target.as_bytes(), assembler.as_bytes()]);
    cache.join("cubins").join(format!("{name}.cubin"))
}

/// Which assembler it is: another one makes other code.
pub(super) struct Assembler<'a> {
    path: &'a Path,
    bytes: u64,
    changed: u128,
}

impl Assembler<'_> {
    pub(super) fn of(path: &Path) -> Assembler<'_> {
        let data = path.metadata().ok();
        let changed = data.as_ref().and_then(|data| data.modified().ok());
        let changed = changed.and_then(|time| time.duration_since(std::time::UNIX_EPOCH).ok());
        Assembler {
            path,
            bytes: data.map_or(0, |data| data.len()),
            changed: changed.map_or(0, |time| time.as_nanos()),
        }
    }

    pub(super) fn in_words(&self) -> String {
        format!("{} {} {}", self.path.display(), self.bytes, self.changed)
    }
}

/// Why there is no machine code of a module.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(super) enum AssemblerError {
    #[error("no temporary folder: {0}")]
    NoFolder(String),
    #[error("{file} cannot be written: {error}")]
    NotWritten { file: String, error: String },
    #[error("{file} cannot be started: {error}")]
    NotStarted { file: String, error: String },
    #[error("{file} cannot be read: {error}")]
    NotRead { file: String, error: String },
    #[error("it is not wanted any more")]
    Stopped,
    /// Its first line about an error.
    #[error("the assembler refuses it: {}", line.as_deref().unwrap_or("no reason given"))]
    Refused { failure: AssemblerFailure, line: Option<String> },
}

/// What an assembler that refuses a module found, as far as we do something about it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum AssemblerFailure {
    /// It found no room for what is in use at a time.
    RegisterAllocationFailed,
    Other,
}

impl AssemblerError {
    /// What an assembler means that ended with an error. It has one exit code for all of them, so its words are all there is:
    /// this is the only place that looks at them.
    fn refused(said: &str) -> AssemblerError {
        let line = said.lines().find(|line| line.contains("error") || line.contains("fatal"));
        let failure = match line.is_some_and(|line| line.contains("Register allocation failed")) {
            true => AssemblerFailure::RegisterAllocationFailed,
            false => AssemblerFailure::Other,
        };
        AssemblerError::Refused { failure, line: line.map(str::to_owned) }
    }
}

/// Has a module assembled, with flags if need be. Some large kernels have more predicates at a time than the assembler finds room
/// for, which fails it unless it optimises nothing: slow code is better than none.
fn fast_or_slow<T>(
    assemble: impl Fn(&[&str]) -> Result<T, AssemblerError>,
) -> Result<T, AssemblerError> {
    match assemble(&[]) {
        Err(AssemblerError::Refused {
            failure: AssemblerFailure::RegisterAllocationFailed,
            ..
        }) => assemble(&["-O0"]),
        done => done,
    }
}

/// Runs the assembler, which is no program to be checked.
fn assemble(
    assembly: Assembly<'_>,
    ptxas: &Path,
    text: &str,
    target: &str,
    flags: &[&str],
) -> Result<Vec<u8>, AssemblerError> {
    let words =
        |file: &Path, error: std::io::Error| (file.display().to_string(), error.to_string());
    let folder =
        tempfile::tempdir().map_err(|error| AssemblerError::NoFolder(error.to_string()))?;
    let (from, to) = (folder.path().join("kernel.ptx"), folder.path().join("kernel.cubin"));
    std::fs::write(&from, text).map_err(|error| {
        let (file, error) = words(&from, error);
        AssemblerError::NotWritten { file, error }
    })?;
    let mut command = Command::new(ptxas);
    command
        .arg(format!("-arch={target}"))
        .args(flags)
        .arg(&from)
        .arg("-o")
        .arg(&to)
        .env_remove("LD_PRELOAD")
        .env_remove("LD_AUDIT")
        .stdin(Stdio::null());
    let output = match assembly.stop {
        None => command.output(),
        Some(_) => output_unless_stopped(&mut command, assembly),
    };
    let output = output.map_err(|error| {
        let (file, error) = words(ptxas, error);
        AssemblerError::NotStarted { file, error }
    })?;
    if assembly.is_stopped() {
        return Err(AssemblerError::Stopped);
    }
    if !output.status.success() {
        return Err(AssemblerError::refused(&String::from_utf8_lossy(&output.stderr)));
    }
    std::fs::read(&to).map_err(|error| {
        let (file, error) = words(&to, error);
        AssemblerError::NotRead { file, error }
    })
}

/// The output of a command, which is killed when nobody wants it any more. What it says of errors is short.
fn output_unless_stopped(command: &mut Command, assembly: Assembly<'_>) -> std::io::Result<Output> {
    let mut child = command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn()?;
    while child.try_wait()?.is_none() {
        if assembly.is_stopped() {
            child.kill()?;
            let status = child.wait()?;
            return Ok(Output { status, stdout: Vec::new(), stderr: Vec::new() });
        }
        std::thread::sleep(LOOK_AGAIN);
    }
    child.wait_with_output()
}

#[cfg(test)]
mod tests {
    use super::{AssemblerError, fast_or_slow};

    #[test]
    fn what_has_no_registers_is_assembled_without_optimisation() {
        let without_room = "fatal : (C7600) Register allocation failed with register count of '7'";
        let assembled = fast_or_slow(|flags| match flags {
            ["-O0"] => Ok("slow"),
            _ => Err(AssemblerError::refused(without_room)),
        });
        assert_eq!(assembled, Ok("slow"));
    }

    #[test]
    fn what_is_wrong_is_not_tried_again() {
        let said = "ptxas info : 0 bytes gmem\nerror : Unknown symbol\nerror : another one";
        let refused = fast_or_slow(|flags| match flags {
            [] => Err::<(), _>(AssemblerError::refused(said)),
            _ => panic!("it was tried again with {flags:?}"),
        });
        let sentence = refused.map_err(|error| error.to_string());
        assert_eq!(sentence, Err("the assembler refuses it: error : Unknown symbol".to_owned()));
        let silent = AssemblerError::refused("").to_string();
        assert_eq!(silent, "the assembler refuses it: no reason given");
    }
}
