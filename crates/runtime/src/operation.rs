//! Copies, fills and accesses of the host: to a detector, each is a launch of its own with few instructions: the
//! call of the API, or those of the host.

use crate::emission::{emit_order, emit_with};
use crate::journal::Journal;
use crate::order::OrderPosition;
use crate::work::ApiCall;
use std::sync::Arc;
use warpsan_detect::Detector;
use warpsan_event::{
    Access, AccessKind, Event, EventBuffer, EventMask, KernelFacts, LaneAddresses, Site, SiteTable,
};
use warpsan_model::{
    BlockIndex, Dim3, Geometry, LaunchId, Order, Scope, SiteId, SourceFrame, Space, Strength,
};

/// Something of the host that reads or writes memory: a call of the API, or an instruction.
#[derive(Debug, Clone)]
pub(crate) struct Toucher {
    /// The call of the API; none if it is the host itself.
    pub(crate) call: Option<String>,
    /// Where it is in the program, innermost function first, if that is known.
    pub(crate) frames: Vec<SourceFrame>,
}

impl Toucher {
    /// A call of the API.
    pub(crate) fn of_call(call: &ApiCall) -> Toucher {
        Toucher { call: Some(call.name.clone()), frames: (call.frames)() }
    }

    fn site(&self) -> Site {
        match &self.call {
            Some(name) => Site::of_api_call(name, self.frames.clone()),
            None => Site::of_host(self.frames.clone()),
        }
    }
}

/// Bytes that a call reads or writes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct MemoryPart {
    /// The first byte.
    pub(crate) address: u64,
    /// How many.
    pub(crate) bytes: u64,
    /// It writes them.
    pub(crate) writes: bool,
    /// Which of the touchers does it.
    pub(crate) toucher: usize,
    /// One instruction of the host does it.
    pub(crate) by_host: bool,
}

impl MemoryPart {
    /// Processors read and write so many bytes at once, where they are aligned.
    fn is_single(&self) -> bool {
        self.by_host
            && matches!(self.bytes, 1 | 2 | 4 | 8)
            && self.address.is_multiple_of(self.bytes)
    }

    fn strength(&self) -> Strength {
        // Whether it is meant as an atomic access cannot be seen; it is as good as one. Stores of the host release. Its
        // loads acquire, but which value a load gave back is not known: a detector must not take it for the newest.
        match (self.is_single(), self.writes) {
            (true, true) => RELEASE_SYS,
            (true, false) => RELAXED_SYS,
            (false, _) => Strength::Weak,
        }
    }
}

const RELAXED_SYS: Strength = Strength::Strong { order: Order::Relaxed, scope: Scope::Sys };
const RELEASE_SYS: Strength = Strength::Strong { order: Order::Release, scope: Scope::Sys };

/// Bytes of a lane's part of an access, where there are as many.
const WIDE: u64 = 16;
/// Events that are emitted at a time.
const BATCH: usize = 512;

/// Emits a call as a launch.
pub(crate) fn emit_call(
    detector: &mut dyn Detector,
    journal: &mut Journal,
    (launch, position): (LaunchId, &OrderPosition),
    name: &str,
    touchers: &[Toucher],
    parts: &[MemoryPart],
) {
    if !detector.interest().contains(EventMask::ACCESSES) {
        return;
    }
    let mut frames = touchers.iter().flat_map(|toucher| &toucher.frames);
    let facts = Arc::new(KernelFacts {
        name: name.to_string(),
        display_name: name.to_string(),
        has_line_information: frames.any(|frame| frame.position.is_some()),
        uses_strong_accesses: parts.iter().any(MemoryPart::is_single),
        ..KernelFacts::default()
    });
    let sites = touchers.iter().map(Toucher::site).collect();
    let sites = Arc::new(SiteTable { sites });
    let geometry = Geometry { grid: Dim3::new(1, 1, 1), block: Dim3::new(32, 1, 1) };
    emit_order(detector, journal, launch, position);
    let begins = Event::LaunchBegin { launch, facts: &facts, sites: &sites, geometry };
    emit_with(detector, journal, |buffer| buffer.push(begins));
    for (index, part) in parts.iter().enumerate() {
        // What a thread of the host does is in order, whichever lanes stand for it.
        if index > 0 && part.by_host {
            let barrier = Event::WarpBarrier { block: BlockIndex(0), warp: 0, mask: u32::MAX };
            emit_with(detector, journal, |buffer| buffer.push(barrier));
        }
        emit_part(detector, journal, part);
    }
    emit_with(detector, journal, |buffer| {
        buffer.push(Event::BlockEnd { block: BlockIndex(0) });
        buffer.push(Event::LaunchEnd { launch });
    });
}

fn emit_part(detector: &mut dyn Detector, journal: &mut Journal, part: &MemoryPart) {
    let mut pieces = pieces(part).peekable();
    while pieces.peek().is_some() {
        emit_with(detector, journal, |buffer: &mut EventBuffer| {
            for (mask, bytes, first) in pieces.by_ref().take(BATCH) {
                buffer.push_access(&access(part, mask, bytes, first));
            }
        });
    }
}

/// The lanes, the bytes of each and the address of lane 0 of accesses that cover all bytes.
fn pieces(part: &MemoryPart) -> impl Iterator<Item = (u32, u64, u64)> + use<> {
    let end = part.address.saturating_add(part.bytes);
    let mut at = part.address;
    let single = part.is_single().then_some(part.bytes);
    std::iter::from_fn(move || {
        let left = end - at;
        let bytes = match single {
            Some(bytes) => bytes,
            None if at.is_multiple_of(WIDE) && left >= WIDE => WIDE,
            None => 1,
        };
        // Single bytes only up to the next place where wide accesses can begin.
        let most = match bytes {
            1 => left.min(WIDE - at % WIDE),
            _ => left / bytes,
        };
        let count = most.min(32);
        let first = at;
        at += count * bytes;
        (count > 0).then(|| (u32::MAX >> (32 - count), bytes, first))
    })
}

fn access(part: &MemoryPart, mask: u32, bytes: u64, first: u64) -> Access<'static> {
    let MemoryPart { writes, toucher, .. } = *part;
    Access {
        block: BlockIndex(0),
        warp: 0,
        site: SiteId(toucher as u32),
        mask,
        wrote: if writes { mask } else { 0 },
        space: Space::Global,
        owner: BlockIndex(0),
        kind: if writes { AccessKind::Write } else { AccessKind::Read },
        strength: part.strength(),
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
            for (mask, width, first) in
                pieces(&MemoryPart { address, bytes, writes: true, toucher: 0, by_host: false })
            {
                assert_eq!(first, next);
                assert_eq!(first % width, 0, "accesses are aligned");
                next += u64::from(mask.count_ones()) * width;
            }
            assert_eq!(next, address + bytes);
        }
    }

    #[test]
    fn an_instruction_of_the_host_accesses_aligned_numbers_at_once() {
        let part =
            |address, bytes| MemoryPart { address, bytes, writes: true, toucher: 0, by_host: true };
        assert_eq!(pieces(&part(24, 8)).collect::<Vec<_>>(), [(1, 8, 24)]);
        assert_eq!(part(24, 8).strength(), RELEASE_SYS);
        assert_eq!(MemoryPart { writes: false, ..part(24, 8) }.strength(), RELAXED_SYS);
        assert_eq!(part(20, 8).strength(), Strength::Weak);
        assert_eq!(pieces(&part(32, 32)).collect::<Vec<_>>(), [(3, 16, 32)]);
    }
}
