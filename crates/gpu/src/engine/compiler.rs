//! Instrumented text to machine code, kept on disk.

use super::EngineSettings;
use sha2::{Digest, Sha256};
use std::fmt::Write as _;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Machine code, or text that the driver compiles.
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

/// Compiles a module for an architecture, or finds what was compiled before.
pub(super) fn compile(
    settings: &EngineSettings,
    text: String,
    target: &str,
) -> Result<Compiled, String> {
    let Some(ptxas) = &settings.ptxas else { return Ok(Compiled::Text(text)) };
    let kept = settings.cache.as_deref().map(|cache| place_of(cache, ptxas, &text, target));
    if let Some(kept) = &kept
        && let Ok(bytes) = std::fs::read(kept)
    {
        return Ok(Compiled::Cubin(bytes));
    }
    let bytes = assemble(ptxas, &text, target)?;
    if let Some(kept) = &kept {
        keep(kept, &bytes);
    }
    Ok(Compiled::Cubin(bytes))
}

/// The file of a module: its name says the text, the architecture and the assembler.
fn place_of(cache: &Path, ptxas: &Path, text: &str, target: &str) -> PathBuf {
    let mut hash = Sha256::new();
    hash.update(text);
    hash.update(target);
    hash.update(ptxas.as_os_str().as_encoded_bytes());
    if let Ok(data) = ptxas.metadata() {
        hash.update(data.len().to_le_bytes());
        let changed =
            data.modified().ok().and_then(|time| time.duration_since(std::time::UNIX_EPOCH).ok());
        hash.update(changed.map_or(0, |time| time.as_nanos()).to_le_bytes());
    }
    let mut name = String::new();
    for byte in &hash.finalize()[..20] {
        let _ = write!(name, "{byte:02x}");
    }
    cache.join("cubins").join(format!("{name}.cubin"))
}

/// Keeps machine code; whoever looks sees all of it or nothing.
fn keep(file: &Path, bytes: &[u8]) {
    let Some(folder) = file.parent() else { return };
    let kept = std::fs::create_dir_all(folder).and_then(|()| {
        let mut new = tempfile::Builder::new().prefix(".new-").tempfile_in(folder)?;
        new.write_all(bytes)?;
        new.persist(file)?;
        Ok(())
    });
    if let Err(error) = kept {
        tracing::debug!("machine code cannot be kept in {}: {error}", folder.display());
    }
}

/// Runs the assembler, which is no program to be checked.
fn assemble(ptxas: &Path, text: &str, target: &str) -> Result<Vec<u8>, String> {
    let folder = tempfile::tempdir().map_err(|error| format!("no temporary folder: {error}"))?;
    let (from, to) = (folder.path().join("kernel.ptx"), folder.path().join("kernel.cubin"));
    std::fs::write(&from, text)
        .map_err(|error| format!("{} cannot be written: {error}", from.display()))?;
    let output = Command::new(ptxas)
        .arg(format!("-arch={target}"))
        .arg(&from)
        .arg("-o")
        .arg(&to)
        .env_remove("LD_PRELOAD")
        .env_remove("LD_AUDIT")
        .stdin(Stdio::null())
        .output()
        .map_err(|error| format!("{} cannot be started: {error}", ptxas.display()))?;
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr);
        let first = said.lines().find(|line| line.contains("error") || line.contains("fatal"));
        return Err(format!("the assembler refuses it: {}", first.unwrap_or("no reason given")));
    }
    std::fs::read(&to).map_err(|error| format!("{} cannot be read: {error}", to.display()))
}
