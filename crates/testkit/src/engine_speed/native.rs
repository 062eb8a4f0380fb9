//! The same algorithms in C++, compiled by `g++ -O2` into a program that times itself.

use std::fs;
use std::io::ErrorKind;
use std::path::Path;
use std::process::{Command, Stdio};

use anyhow::Context;
use tempfile::TempDir;

use super::workload::Workload;

/// The program.
#[derive(Debug)]
pub struct Native {
    folder: TempDir,
}

/// Why there is no program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NativeError {
    /// This machine has no g++.
    NoCompiler,
    /// In words.
    Broken(String),
}

/// What one run of the program gave.
#[derive(Debug)]
pub(crate) struct NativeRun {
    /// The processor time of one call.
    pub(crate) seconds: f64,
    pub(crate) output: Vec<u8>,
}

impl Native {
    /// Compiles all C++ files of the suite's folder.
    pub fn build(suite: &Path) -> Result<Self, NativeError> {
        let broken = |what: String| NativeError::Broken(what);
        let unreadable =
            |error: std::io::Error| broken(format!("cannot read {}: {error}", suite.display()));
        let mut sources = Vec::new();
        for entry in fs::read_dir(suite).map_err(unreadable)? {
            let path = entry.map_err(unreadable)?.path();
            if path.extension().is_some_and(|extension| extension == "cpp") {
                sources.push(path);
            }
        }
        sources.sort();
        let folder =
            TempDir::new().map_err(|error| broken(format!("no temporary folder: {error}")))?;
        let output = Command::new("g++")
            .arg("-O2")
            .args(&sources)
            .arg("-o")
            .arg(folder.path().join("native"))
            .stdin(Stdio::null())
            .output()
            .map_err(|error| match error.kind() {
                ErrorKind::NotFound => NativeError::NoCompiler,
                _ => broken(format!("g++ could not be started: {error}")),
            })?;
        if !output.status.success() {
            let messages = String::from_utf8_lossy(&output.stderr);
            return Err(broken(format!("g++ ended with {}:\n{messages}", output.status)));
        }
        Ok(Self { folder })
    }

    /// Puts the buffers of a workload where the program reads them.
    pub(crate) fn write_buffers(&self, workload: &Workload) -> anyhow::Result<()> {
        for (index, buffer) in workload.buffers.iter().enumerate() {
            fs::write(self.folder.path().join(index.to_string()), buffer)
                .context("cannot write a buffer for the native program")?;
        }
        Ok(())
    }

    /// Runs an algorithm on the buffers that were written last.
    pub(crate) fn run(&self, workload: &Workload) -> anyhow::Result<NativeRun> {
        let folder = self.folder.path();
        let output = Command::new(folder.join("native"))
            .arg(workload.name)
            .arg(folder)
            .arg(workload.buffers.len().to_string())
            .arg(workload.output.to_string())
            .arg(workload.native_calls.to_string())
            .args(workload.numbers.iter().map(u32::to_string))
            .stdin(Stdio::null())
            .output()
            .context("the native program could not be started")?;
        if !output.status.success() {
            let messages = String::from_utf8_lossy(&output.stderr);
            anyhow::bail!("the native program ended with {}: {messages}", output.status);
        }
        let text = String::from_utf8_lossy(&output.stdout);
        let seconds =
            text.trim().parse().ok().with_context(|| {
                format!("the native program printed `{text}` instead of its time")
            })?;
        let output = fs::read(folder.join("output"))
            .context("the native program's result cannot be read")?;
        Ok(NativeRun { seconds, output })
    }
}
