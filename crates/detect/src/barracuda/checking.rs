//! One instruction that accesses memory.

use super::Barracuda;
use super::clock::{Floors, Thread};
use super::epoch::Epoch;
use super::findings::PendingRace;
use super::messages::Class;
use super::operations::Role;
use super::rules::{self, Rule};
use crate::last_access::Reach;
use std::sync::Arc;
use warpsan_event::{Access, AccessKind, LaneAddresses};
use warpsan_model::{Space, lanes};

impl Barracuda {
    /// `rd`, `wr` or `atm` of each lane.
    pub(super) fn check(&mut self, access: &Access<'_>) {
        let Barracuda { blocks, shadow, counts, found, .. } = self;
        let Some(block) = blocks.get(&access.block.0) else { return };
        let Some(warp) = block.warps.get(access.warp as usize) else { return };
        let group = warp.active();
        let (space, bytes) = (access.space, access.bytes_of_lane());
        let memory = shadow.of((space, access.owner.0));
        let epoch = |lane: u32| {
            let thread = thread(access, lane);
            Epoch { thread, clock: group.local(), site: access.site.0 }
        };
        let mut left = access.mask;
        for (lane, address) in access.lanes() {
            if left >> lane & 1 == 0 {
                continue;
            }
            let now = epoch(lane);
            let observer = now.thread.lane;
            let knows = |epoch: Epoch| group.known(observer, epoch.thread) >= epoch.clock;
            // Lanes that read one address are one step; all others follow each other.
            let reading = match access.kind {
                AccessKind::Read => lanes_beside(access, lane, address),
                _ => 1 << lane,
            };
            left &= !reading;
            memory.visit(address, bytes, |at, bytes, location| {
                let outcome = match access.kind {
                    AccessKind::Read => rules::read(location, now, reading, knows),
                    AccessKind::Write => rules::write(location, now, knows),
                    AccessKind::ReadModifyWrite | AccessKind::Reduction => {
                        rules::atomic(location, now, knows)
                    }
                };
                match access.kind {
                    AccessKind::Read => counts.reads(outcome.rule, reading),
                    _ => counts.rule(outcome.rule),
                }
                for earlier in [outcome.write, outcome.read].into_iter().flatten() {
                    let together = is_of_this_instruction(&earlier, &now, group.lanes());
                    if together && wrote_the_same(access, at, bytes, [&earlier, &now]) {
                        counts.same_value += 1;
                        continue;
                    }
                    let class = Class::of(earlier.thread, now.thread, together);
                    for lane in lanes(reading) {
                        counts.races += 1;
                        let current = epoch(lane);
                        found.push(PendingRace { class, space, address: at, earlier, current });
                    }
                }
            });
        }
    }

    /// Acquires and releases of each lane, all with what the lanes knew before the instruction.
    pub(super) fn synchronise(&mut self, access: &Access<'_>, role: Role) {
        let Barracuda { blocks, synchronisation, counts, .. } = self;
        let block = access.block.0;
        let warps = blocks.get_mut(&block).map(|state| &mut state.warps);
        let Some(warp) = warps.and_then(|warps| warps.get_mut(access.warp as usize)) else {
            return;
        };
        let group = warp.active();
        let mut learned: Vec<Arc<Floors>> = Vec::new();
        for (lane, address) in access.lanes() {
            let place = ((access.space == Space::Shared).then_some(access.owner.0), address);
            let acquired =
                role.acquires.and_then(|reach| synchronisation.acquire(place, block, reach));
            if let Some(reach) = role.releases {
                let mut known = group.released_by(thread(access, lane).lane);
                if let Some(acquired) = &acquired {
                    known.join(acquired);
                }
                synchronisation.release(place, block, reach, Arc::new(known));
            }
            rules_of(role).into_iter().flatten().for_each(|rule| counts.rule(rule));
            // Lanes that acquire at one location learn the same.
            if let Some(acquired) = acquired
                && !learned.last().is_some_and(|last| Arc::ptr_eq(last, &acquired))
            {
                learned.push(acquired);
            }
        }
        let group = warp.active_mut();
        learned.iter().for_each(|known| group.acquire(known));
        if role.releases.is_some() {
            group.advance();
        }
    }
}

/// The lanes that access what a lane does, as far as that is easily seen.
#[inline]
fn lanes_beside(access: &Access<'_>, lane: u32, address: u64) -> u32 {
    match access.addresses {
        LaneAddresses::Uniform(_) => access.mask,
        LaneAddresses::Strided { .. } => 1 << lane,
        LaneAddresses::PerLane(_) => {
            let same = access.lanes().map(|(lane, other)| u32::from(other == address) << lane);
            same.fold(0, |lanes, lane| lanes | lane)
        }
    }
}

fn thread(access: &Access<'_>, lane: u32) -> Thread {
    Thread { block: access.block.0, warp: access.warp as u16, lane: lane as u8 }
}

/// The rules that an operation follows: one, unless it acquires and releases at different scopes.
fn rules_of(role: Role) -> [Option<Rule>; 2] {
    let acquire = role.acquires.map(|reach| match reach {
        Reach::Block => Rule::AcqBlock,
        Reach::Device => Rule::AcqGlobal,
    });
    let release = role.releases.map(|reach| match reach {
        Reach::Block => Rule::RelBlock,
        Reach::Device => Rule::RelGlobal,
    });
    match (role.acquires, role.releases) {
        (Some(Reach::Block), Some(Reach::Block)) => [Some(Rule::AcqRelBlock), None],
        (Some(Reach::Device), Some(Reach::Device)) => [Some(Rule::AcqRelGlobal), None],
        _ => [acquire, release],
    }
}

/// Whether an earlier access is of the very instruction that is executed now by these lanes: their clock has advanced since
/// every other one.
fn is_of_this_instruction(earlier: &Epoch, now: &Epoch, lanes: u32) -> bool {
    (earlier.thread.block, earlier.thread.warp) == (now.thread.block, now.thread.warp)
        && lanes >> earlier.thread.lane & 1 == 1
        && earlier.clock == now.clock
}

/// Whether two lanes of a store write the same bytes.
fn wrote_the_same(access: &Access<'_>, at: u64, bytes: u64, lanes: [&Epoch; 2]) -> bool {
    let is_same = |byte: u64| {
        let [first, second] = lanes.map(|epoch| byte_written(access, epoch.thread.lane, byte));
        first.is_some() && first == second
    };
    access.kind == AccessKind::Write && (at..at + bytes).all(is_same)
}

/// The byte that a lane of a store writes to an address, if the event has values.
fn byte_written(access: &Access<'_>, lane: u8, address: u64) -> Option<u8> {
    let mut lanes = access.lanes().enumerate();
    let (rank, (_, first)) = lanes.find(|(_, (other, _))| *other == u32::from(lane))?;
    let offset = address.checked_sub(first)?;
    let element_bytes = u64::from(access.bytes.max(1));
    // An element of 16 bytes has two words.
    let words = element_bytes.div_ceil(8);
    let element = rank as u64 * u64::from(access.elements) + offset / element_bytes;
    let in_element = offset % element_bytes;
    let word = access.values.get((element * words + in_element / 8) as usize)?;
    Some((word >> (in_element % 8 * 8)) as u8)
}
