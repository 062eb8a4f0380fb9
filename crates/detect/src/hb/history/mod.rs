//! Who accessed which bytes.
//!
//! Memory is looked at in lines of 128 bytes: what a warp accesses with one instruction when its lanes
//! use neighbouring words. An [`Entry`] stands for all bytes of a line that were accessed by the same
//! warp, instruction and epoch, whatever their number: neighbouring locations with the same history share
//! one, and an access to a part of them takes those bytes away from it.
//!
//! A [`Line`] has the weak accesses as entries, and strong ones by [`StrongLocation`]; a [`Shadow`] has the lines of one
//! memory. Reads and updates of shared memory that a block makes in great number are noted in the shadow first, and
//! become part of the lines only when somebody has to be compared with them.
//!
//! This part orders nothing and reports nothing. What it has to know of the order, it asks through closures.

mod by_lane;
mod entry;
mod line;
mod noted_reads;
mod noted_updates;
mod pages;
mod pending;
mod reads;
mod scattered;
mod scattered_atomics;
mod scattered_reads;
mod scattered_reductions;
mod segments;
mod shared;
mod sheet;
mod sites;
mod slabs;
mod strong_location;
mod tally;
mod this_launch;
mod touched;
mod updates;

pub(super) use by_lane::ByLane;
pub(super) use entry::{Entry, Mapping, Role};
pub(super) use line::{Line, cover_of};
pub(super) use pages::{PAGE, Shadow};
pub(super) use segments::{Segment, for_each_segment};
pub(super) use sheet::words_of;
pub(super) use sites::{SiteInfo, Sites};
pub(super) use strong_location::{StrongEntry, StrongLocation, range};
pub(super) use this_launch::ThisLaunch;
pub(super) use touched::Touched;

use super::ids::{BlockNumber, SiteNumber, StrongLocationId};
use noted_reads::NotedReads;
use shared::SharedMemories;

/// Bytes of a line.
pub(super) const LINE: u64 = 128;

/// The first byte of the line that has `address`.
#[inline]
pub(super) fn line_of(address: u64) -> u64 {
    address - address % LINE
}

/// The line of an address, and the offset in it.
#[inline]
pub(super) fn position(address: u64) -> (u64, u8) {
    let base = line_of(address);
    (base, (address - base) as u8)
}

/// All accesses that a later one may race with.
#[derive(Debug, Default)]
pub(super) struct History {
    pub(super) memories: Memories,
    pub(super) sites: Sites,
    pub(super) noted_reads: NotedReads,
    /// Numbers the events that are put together line by line, from 1.
    events: u64,
    /// The most bytes that the shadow took in a launch.
    peak: u64,
    /// The most bytes that the shadows of shared memories took so far in this launch.
    shared_peak: u64,
}

/// The shadow of each memory.
#[derive(Debug, Default)]
pub(super) struct Memories {
    pub(super) global: Shadow,
    pub(super) shared: SharedMemories,
}

impl Memories {
    /// The shadow of a block's shared memory, or of global memory.
    #[inline]
    pub(super) fn of(&mut self, owner: Option<BlockNumber>) -> &mut Shadow {
        match owner {
            Some(owner) => self.shared.get_or_begin(owner),
            None => &mut self.global,
        }
    }

    /// The line where a location of strong accesses is.
    #[inline]
    pub(super) fn line_of_location(&mut self, location: StrongLocationId) -> &mut Line {
        self.of(location.owner).line(line_of(location.start))
    }

    /// What is remembered of a location of strong accesses.
    #[inline]
    pub(super) fn location(&mut self, location: StrongLocationId) -> &mut StrongLocation {
        let (base, offset) = position(location.start);
        self.of(location.owner).line(base).location(offset, location.bytes)
    }
}

impl History {
    /// A launch begins, whose first site has this number. Earlier launches are forgotten if all of them are ordered
    /// before all that is to come.
    pub(super) fn begin_launch(&mut self, first_site: SiteNumber, forgets_all: bool) {
        if forgets_all {
            self.memories.global.clear();
        }
        self.sites.forget_from(first_site);
        self.forget_threads();
    }

    /// A launch has ended.
    pub(super) fn end_launch(&mut self) {
        if cfg!(debug_assertions) {
            self.check_invariants();
        }
        self.note_peak();
        let bytes = self.memories.global.bytes() + self.shared_peak;
        self.peak = self.peak.max(bytes);
        self.shared_peak = 0;
        self.forget_threads();
    }

    /// Fails where an invariant of the shadow is broken. They are written at the fields.
    fn check_invariants(&self) {
        self.memories.global.check_invariants();
        self.memories.shared.check_invariants();
    }

    fn forget_threads(&mut self) {
        self.memories.shared.clear();
        self.noted_reads = NotedReads::default();
    }

    /// Nobody can reach the shared memory of a block any more.
    pub(super) fn forget_block(&mut self, block: BlockNumber) {
        self.memories.shared.remove(block);
    }

    /// A number that no event before had.
    pub(super) fn next_event(&mut self) -> u64 {
        self.events += 1;
        self.events
    }

    /// Measures what the shadows of shared memories take now.
    pub(super) fn note_peak(&mut self) {
        self.shared_peak = self.shared_peak.max(self.memories.shared.bytes());
    }

    /// The most bytes that the shadow took.
    pub(super) fn peak(&self) -> u64 {
        self.peak
    }
}
