//! Which memory asynchronous copies have filled: it shows whether a read came too early for a copy, or a copy too early
//! for a read.

use crate::hb::ids::{BlockNumber, SiteNumber};
use rustc_hash::FxHashSet;

/// Pieces of memory of so many bytes are told apart.
const PIECE: u64 = 128;

/// A piece of memory, and the copy instruction that filled it.
type Piece = (SiteNumber, Option<BlockNumber>, u64);

/// What copies have written in a launch.
#[derive(Debug, Default)]
pub(in crate::hb) struct Filled {
    before: FxHashSet<Piece>,
    /// By the copies that begin right now.
    now: Vec<Piece>,
}

impl Filled {
    pub(super) fn clear(&mut self) {
        self.before.clear();
        self.now.clear();
    }

    /// Copies begin.
    pub(in crate::hb) fn begin(&mut self) {
        self.before.extend(self.now.drain(..));
    }

    /// One of them writes from this address on.
    pub(in crate::hb) fn add(
        &mut self,
        site: SiteNumber,
        owner: Option<BlockNumber>,
        address: u64,
    ) {
        let piece = (site, owner, address / PIECE);
        if self.now.last() != Some(&piece) {
            self.now.push(piece);
        }
    }

    /// Whether an earlier copy by the same instruction has filled the place.
    pub(super) fn has(&self, site: SiteNumber, owner: Option<BlockNumber>, address: u64) -> bool {
        self.before.contains(&(site, owner, address / PIECE))
    }
}
