//! `warpsan launch-on-gpu FOLDER`, which `warpsan check --engine gpu` starts: an ordinary program of the CUDA driver that launches
//! the kernels of a file as its launch lines say. It is checked as any other program is.
//!
//! The folder says what to launch, and takes what comes of it, since nobody may take the words of kernels for ours.

mod device;
mod launching;

use crate::buffers;
use anyhow::Context;
use device::DeviceError;
use launching::launch_all;
use serde::{Deserialize, Serialize};
use std::fs::File;
use std::os::fd::AsRawFd;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// The name of the command.
pub(crate) const NAME: &str = "launch-on-gpu";

#[derive(Debug, clap::Args)]
#[group(skip)]
pub(crate) struct Args {
    /// The folder of [`Files`]
    folder: PathBuf,

    #[command(flatten)]
    buffers: buffers::Args,
}

/// What is in the folder.
pub(crate) struct Files<'a>(pub(crate) &'a Path);

impl Files<'_> {
    /// The code.
    pub(crate) fn ptx(&self) -> PathBuf {
        self.0.join("kernels.ptx")
    }

    /// A text whose `//@ launch:` lines say what to launch.
    pub(crate) fn launches(&self) -> PathBuf {
        self.0.join("launches")
    }

    /// What kernels print.
    pub(crate) fn printed(&self) -> PathBuf {
        self.0.join("printed")
    }

    /// The buffers that were asked for, as text.
    pub(crate) fn buffers(&self) -> PathBuf {
        self.0.join("buffers")
    }

    /// How it ended, as JSON.
    fn ended(&self) -> PathBuf {
        self.0.join("ended.json")
    }

    /// How it ended, if it came so far.
    pub(crate) fn how_it_ended(&self) -> Option<Ended> {
        serde_json::from_slice(&std::fs::read(self.ended()).ok()?).ok()
    }
}

/// How it ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Ended {
    /// All launches have ended.
    Done,
    /// There is no device that could be used.
    NoDevice(String),
    /// The device refuses the file, or this launch of it.
    Refused {
        /// The launch's line and kernel.
        launch: Option<(usize, String)>,
        reason: String,
    },
    /// Something that a kernel did has stopped everything.
    Stopped(String),
}

pub(crate) fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let files = Files(&args.folder);
    let printed = File::create(files.printed()).context("cannot keep what kernels print")?;
    // SAFETY: both files are open. Kernels print to the standard output of their process.
    unsafe { libc::dup2(printed.as_raw_fd(), libc::STDOUT_FILENO) };
    let ended = launch_all(&files, &args.buffers)?;
    let text = serde_json::to_string(&ended).context("cannot say how it ended")?;
    std::fs::write(files.ended(), text).context("cannot say how it ended")?;
    Ok(ExitCode::SUCCESS)
}

impl From<DeviceError> for Ended {
    fn from(error: DeviceError) -> Ended {
        match error {
            DeviceError::Missing(reason) => Ended::NoDevice(reason),
            DeviceError::Refused(reason) => Ended::Refused { launch: None, reason },
            DeviceError::Stopped(reason) => Ended::Stopped(reason),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_one_process_says_the_other_reads() {
        let folder = tempfile::tempdir().expect("a folder");
        let files = Files(folder.path());
        assert_eq!(files.how_it_ended(), None, "it did not come so far");
        let refused = Ended::Refused { launch: Some((3, "k".into())), reason: "no".into() };
        for ended in [Ended::Done, Ended::NoDevice("x".into()), refused] {
            std::fs::write(files.ended(), serde_json::to_string(&ended).unwrap()).unwrap();
            assert_eq!(files.how_it_ended(), Some(ended));
        }
        std::fs::write(files.ended(), "{\"Sto").unwrap();
        assert_eq!(files.how_it_ended(), None, "it was ended in the middle of it");
    }
}
