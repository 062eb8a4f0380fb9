//! The logged rerun: which instructions accessed the bytes that a race is about.
//!
//! Values say that a race happened, and between which copies. One more run of the region, with events, says by which statements.

use crate::pieces::{Bytes, covered};
use rustc_hash::FxHashMap;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;
use warpsan_event::{Access, AccessKind, Batch, Event, EventMask, EventSink};
use warpsan_model::{SiteId, Space, Strength, WARP_LANES};
use warpsan_report::AccessType;
use warpsan_simt::{PIECE, Place};

/// Threads of one instruction that are kept for a piece of memory.
const MOST_OF_A_SITE: usize = 64;

/// A warp that accessed bytes of a piece by an instruction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Logged {
    pub(crate) block: u32,
    pub(crate) warp: u32,
    /// Its first thread that did.
    pub(crate) thread: u32,
    pub(crate) site: SiteId,
    pub(crate) access: AccessType,
    pub(crate) strength: Strength,
    /// Bytes of one element.
    pub(crate) element: u32,
    /// The bytes of the piece.
    pub(crate) bytes: Bytes,
}

impl Logged {
    pub(crate) fn writes(&self) -> bool {
        self.access != AccessType::Read
    }
}

/// What was accessed of the bytes that matter.
#[derive(Debug, Default)]
pub(crate) struct Log {
    wanted: FxHashMap<Place, Bytes>,
    /// In the order of places, and of accesses at each.
    found: BTreeMap<Place, Vec<Logged>>,
}

impl Log {
    /// Begins anew, for these bytes.
    pub(crate) fn begin(&mut self, wanted: impl Iterator<Item = (Place, Bytes)>) {
        self.wanted.clear();
        self.found.clear();
        for (place, bytes) in wanted {
            *self.wanted.entry(place).or_default() |= bytes;
        }
    }

    /// What was found.
    pub(crate) fn take(&mut self) -> BTreeMap<Place, Vec<Logged>> {
        self.wanted.clear();
        std::mem::take(&mut self.found)
    }

    fn access(&mut self, access: &Access<'_>) {
        let bytes = access.bytes_of_lane();
        for (lane, address) in access.lanes() {
            let first = address - address % PIECE as u64;
            for start in (first..address + bytes).step_by(PIECE) {
                let place = match access.space {
                    Space::Shared => Place::Shared(start as u32),
                    _ => Place::Global(start),
                };
                let Some(wanted) = self.wanted.get(&place) else { continue };
                let hit = covered(address as i64 - start as i64, bytes) & wanted;
                if hit != 0 {
                    let at = self.found.entry(place).or_default();
                    note(at, access, lane, hit);
                }
            }
        }
    }
}

fn note(at: &mut Vec<Logged>, access: &Access<'_>, lane: u32, bytes: Bytes) {
    let kind = match access.kind {
        AccessKind::Read => AccessType::Read,
        AccessKind::Write => AccessType::Write,
        AccessKind::ReadModifyWrite | AccessKind::Reduction => AccessType::Atomic,
    };
    let (block, warp, site) = (access.block.0, access.warp, access.site);
    let mut of_site = 0;
    for one in at.iter_mut().rev() {
        if one.site == site {
            of_site += 1;
            if (one.block, one.warp) == (block, warp) {
                one.bytes |= bytes;
                return;
            }
        }
    }
    if of_site < MOST_OF_A_SITE {
        at.push(Logged {
            block,
            warp,
            thread: warp * WARP_LANES + lane,
            site,
            access: kind,
            strength: access.strength,
            element: u32::from(access.bytes),
            bytes,
        });
    }
}

/// A sink that fills a log.
#[derive(Debug, Clone, Default)]
pub(crate) struct LogSink(pub(crate) Rc<RefCell<Log>>);

impl EventSink for LogSink {
    fn interest(&self) -> EventMask {
        EventMask::ACCESSES
    }

    fn batch(&mut self, batch: &Batch<'_>) {
        let mut log = self.0.borrow_mut();
        for event in batch.events() {
            // Nothing else was asked for.
            if let Event::Access(access) = event {
                log.access(&access);
            }
        }
    }
}
