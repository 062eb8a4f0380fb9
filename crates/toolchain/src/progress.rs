//! How a fetch reports its progress to its caller.

use std::path::Path;

use crate::Offer;

/// The two long parts of an installation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// The wheels come over the network.
    Fetch,
    /// The wheels are unpacked.
    Unpack,
}

/// What happens during an installation.
#[derive(Clone, Copy, Debug)]
pub enum ProgressEvent<'a> {
    /// Another process holds the lock, probably because it installs the same; its end is awaited.
    WaitingForOther {
        /// The lock file.
        lock: &'a Path,
    },
    /// The fetch begins.
    Started {
        /// What is fetched, and where it goes.
        offer: &'a Offer,
    },
    /// Bytes that really lie on the disk now; never an estimate.
    Advanced {
        /// Which part.
        step: Step,
        /// Bytes on the disk.
        done: u64,
        /// Bytes of this part at its end.
        total: u64,
    },
    /// What was fetched is in place.
    Finished {
        /// The folder of the installation.
        root: &'a Path,
    },
}

/// Somebody who shows how far an installation is.
pub trait Progress {
    /// Called from the installing thread, a few times a second.
    fn report(&mut self, event: ProgressEvent<'_>);
}

/// Shows nothing.
#[derive(Clone, Copy, Debug, Default)]
pub struct Silent;

impl Progress for Silent {
    fn report(&mut self, _event: ProgressEvent<'_>) {}
}
