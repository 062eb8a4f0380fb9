//! Copies and fills: to a detector, each is a launch of its own with one instruction, the call of the API.

use crate::journal::Journal;
use crate::order::Place;
use crate::session::{tell_order, tell_with};
use std::sync::Arc;
use warpsan_detect::Detector;
use warpsan_event::{
    Access, AccessKind, Event, EventBuffer, EventMask, KernelFacts, LaneAddresses, Site, SiteTable,
};
use warpsan_model::{BlockIndex, Dim3, Geometry, LaunchId, SiteId, SourceFrame, Space, Strength};

/// A call of the API that works on memory.
#[derive(Debug, Clone)]
pub struct ApiCall {
    /// Its name.
    pub name: String,
    /// Where the program calls it, innermost function first, if that is known.
    pub frames: Vec<SourceFrame>,
}

/// Bytes that a call reads or writes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MemoryPart {
    /// The first byte.
    pub address: u64,
    /// How many.
    pub bytes: u64,
    /// It writes them.
    pub writes: bool,
}

/// Bytes of a lane's part of an access, where there are as many.
const WIDE: u64 = 16;
/// Events that are told at a time.
const BATCH: usize = 512;

/// Tells a detector of a call as of a launch.
pub(crate) fn tell_call(
    detector: &mut dyn Detector,
    journal: &mut Journal,
    launch: LaunchId,
    place: &Place,
    call: &ApiCall,
    parts: &[MemoryPart],
) {
    if !detector.interest().contains(EventMask::ACCESSES) {
        return;
    }
    let facts = Arc::new(KernelFacts {
        name: call.name.clone(),
        display_name: call.name.clone(),
        has_line_information: call.frames.iter().any(|frame| frame.position.is_some()),
        ..KernelFacts::default()
    });
    let site =
        Site { instruction: call.name.as_str().into(), ptx_line: 0, frames: call.frames.clone() };
    let sites = Arc::new(SiteTable { sites: vec![site] });
    let geometry = Geometry { grid: Dim3::new(1, 1, 1), block: Dim3::new(32, 1, 1) };
    tell_order(detector, journal, launch, place);
    let begins = Event::LaunchBegin { launch, facts: &facts, sites: &sites, geometry };
    tell_with(detector, journal, |buffer| buffer.push(begins));
    for part in parts {
        tell_part(detector, journal, part);
    }
    tell_with(detector, journal, |buffer| {
        buffer.push(Event::BlockEnd { block: BlockIndex(0) });
        buffer.push(Event::LaunchEnd { launch });
    });
}

fn tell_part(detector: &mut dyn Detector, journal: &mut Journal, part: &MemoryPart) {
    let mut pieces = pieces(part).peekable();
    while pieces.peek().is_some() {
        tell_with(detector, journal, |buffer: &mut EventBuffer| {
            for (mask, bytes, first) in pieces.by_ref().take(BATCH) {
                buffer.push_access(&access(part.writes, mask, bytes, first));
            }
        });
    }
}

/// The lanes, the bytes of each and the address of lane 0 of accesses that cover all bytes.
fn pieces(part: &MemoryPart) -> impl Iterator<Item = (u32, u64, u64)> + use<> {
    let end = part.address.saturating_add(part.bytes);
    let mut at = part.address;
    std::iter::from_fn(move || {
        let left = end - at;
        let bytes = if at.is_multiple_of(WIDE) && left >= WIDE { WIDE } else { 1 };
        // Single bytes only up to the next place where wide accesses can begin.
        let most = match bytes {
            WIDE => left / WIDE,
            _ => left.min(WIDE - at % WIDE),
        };
        let count = most.min(32);
        let first = at;
        at += count * bytes;
        (count > 0).then(|| (u32::MAX >> (32 - count), bytes, first))
    })
}

fn access(writes: bool, mask: u32, bytes: u64, first: u64) -> Access<'static> {
    Access {
        block: BlockIndex(0),
        warp: 0,
        site: SiteId(0),
        mask,
        wrote: if writes { mask } else { 0 },
        space: Space::Global,
        owner: BlockIndex(0),
        kind: if writes { AccessKind::Write } else { AccessKind::Read },
        strength: Strength::Weak,
        bytes: bytes as u8,
        elements: 1,
        addresses: match mask {
            1 => LaneAddresses::Uniform(first),
            _ => LaneAddresses::Strided { first, stride: bytes },
        },
        values: &[],
        versions: &[],
        read_only_path: false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_cover_each_byte_once() {
        for (address, bytes) in [(0, 0), (5, 1), (3, 200), (4096, 1 << 14), (15, 17), (31, 2000)] {
            let mut next = address;
            for (mask, width, first) in pieces(&MemoryPart { address, bytes, writes: true }) {
                assert_eq!(first, next);
                assert_eq!(first % width, 0, "accesses are aligned");
                next += u64::from(mask.count_ones()) * width;
            }
            assert_eq!(next, address + bytes);
        }
    }
}
