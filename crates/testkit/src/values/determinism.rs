//! The traces of one run.

use std::fs::{self, File};
use std::io;
use std::path::Path;
use std::process::Command;

use anyhow::Context;
use sha2::{Digest, Sha256};

use super::report::{NOT_COVERED, Report};
use super::{Limits, run_limited};

/// The traces that a run left.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Traced {
    /// The hash of each process's trace, sorted: process numbers differ between runs.
    pub hashes: Vec<[u8; 32]>,
    /// Their bytes together.
    pub bytes: u64,
}

/// Runs an executable under warpsan, which records everything, and hashes what it recorded. A run that
/// fails, or leaves no trace, is an error.
pub fn trace(
    warpsan: &Path,
    executable: &Path,
    schedule: &str,
    jobs: usize,
    limits: Limits,
) -> anyhow::Result<Traced> {
    let folder = tempfile::tempdir().context("no temporary folder")?;
    let traces = folder.path().join("traces");
    let mut command = Command::new(warpsan);
    let file = folder.path().join("report.json");
    command.args(["run", "--format", "json", "--output"]).arg(&file);
    command.args(["--detector", "none", "--schedule", schedule]);
    command.args(["--jobs", &jobs.to_string()]).arg(limits.flag());
    command.arg("--record-trace").arg(&traces).arg("--").arg(executable);
    let ended = run_limited(&mut command, folder.path(), limits)?;
    let gap = Report::read(&file)?.unknown_gap().map(str::to_owned);
    if !matches!(ended.code, Some(0 | NOT_COVERED)) || gap.is_some() {
        let said = ended.stderr.lines().next().unwrap_or_default();
        anyhow::bail!(
            "it ends with {:?}; not covered: {}; warpsan says: {said}",
            ended.code,
            gap.unwrap_or_default()
        );
    }
    let traced = hash_folder(&traces).context("cannot read a trace")?;
    match traced.hashes.is_empty() {
        true => anyhow::bail!("it left no trace"),
        false => Ok(traced),
    }
}

fn hash_folder(folder: &Path) -> io::Result<Traced> {
    let mut traced = Traced { hashes: Vec::new(), bytes: 0 };
    for entry in fs::read_dir(folder)? {
        let mut file = File::open(entry?.path())?;
        let mut digest = Sha256::new();
        traced.bytes += io::copy(&mut file, &mut digest)?;
        traced.hashes.push(digest.finalize().into());
    }
    traced.hashes.sort_unstable();
    Ok(traced)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_traces_do_not_matter_but_their_bytes_do() {
        let folders = [["1", "2"], ["8", "7"], ["1", "2"]].map(|names| {
            let folder = tempfile::tempdir().unwrap();
            for (name, content) in names.iter().zip(["one", "two"]) {
                fs::write(folder.path().join(name), content).unwrap();
            }
            folder
        });
        fs::write(folders[2].path().join("2"), "twp").unwrap();
        let [one, two, other] = folders.map(|folder| hash_folder(folder.path()).unwrap());
        assert_eq!(one, two);
        assert_eq!(one.bytes, 6);
        assert_ne!(one, other);
    }
}
