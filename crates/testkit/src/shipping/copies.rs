//! Asynchronous copies as the records that a device would have written: where each began, what it signals, and who waited.

use std::collections::BTreeMap;

use warpsan_event::{CopyBegin, CopyKind, CopySide, Event};
use warpsan_instrument::record::{Place, RecordKind, SAME_COPY, SiteInfo, Slot};
use warpsan_model::{BlockIndex, lanes};

use super::NotEncoded;
use super::encode::{Encoder, Thread, part_of, place_of, slot, word_of};

/// An `mbarrier` object that a copy signals, and its phase.
type Signal = (BlockIndex, u64, u64);

/// What copies signal, and the records that no event stands for.
#[derive(Debug, Default)]
pub(super) struct CopyPlan {
    /// For each bulk copy or store, what it signals.
    signals: BTreeMap<u64, Vec<Signal>>,
    /// Arrivals on behalf of `cp.async`, by the event that they come before.
    arrivals: BTreeMap<usize, Vec<(Thread, Signal)>>,
    /// Copies that began so far, by thread: of `cp.async`, and in bulk without an object.
    begun: BTreeMap<(Thread, bool), Vec<u64>>,
    /// Destinations of a copy that were recorded so far.
    destinations: BTreeMap<u64, usize>,
}

impl CopyPlan {
    pub(super) fn of(events: &[Event<'_>]) -> Result<CopyPlan, NotEncoded> {
        let mut plan = CopyPlan::default();
        // For each copy of `cp.async` of a thread: where it began.
        let mut thread_copies: BTreeMap<Thread, Vec<(u64, usize)>> = BTreeMap::new();
        let mut bulk: BTreeMap<u64, usize> = BTreeMap::new();
        for (index, event) in events.iter().enumerate() {
            match event {
                Event::CopyBegin(copies) => {
                    for (number, lane) in (copies.first..).zip(lanes(copies.mask)) {
                        let thread = (copies.block.0, copies.warp, lane);
                        match copies.kind {
                            CopyKind::Thread => {
                                thread_copies.entry(thread).or_default().push((number, index));
                            }
                            _ => drop(bulk.entry(number).or_insert(index)),
                        }
                    }
                }
                Event::CopySignal { block, warp, lane, copy, owner, address, phase } => {
                    let signal = (*owner, *address, *phase);
                    if let Some(begun) = copy.and_then(|copy| bulk.get(&copy)) {
                        check_phase(events, *begun, index, signal)?;
                        plan.signals.entry(copy.unwrap_or_default()).or_default().push(signal);
                        continue;
                    }
                    // It stands before the thread's next copy, which it does not speak for.
                    let thread = (block.0, *warp, *lane);
                    let later = thread_copies.get(&thread).into_iter().flatten();
                    let behind = copy.map_or(0, |copy| copy + 1);
                    let next = later.filter(|(number, _)| *number >= behind).map(|(_, at)| *at);
                    let at = next.min().unwrap_or(index);
                    check_phase(events, at, index, signal)?;
                    plan.arrivals.entry(at).or_default().push((thread, signal));
                }
                _ => {}
            }
        }
        Ok(plan)
    }

    /// Lanes with an arrival before an event.
    pub(super) fn arrivals_at(&self, index: usize) -> Vec<(u32, u32, u32)> {
        let arrivals = self.arrivals.get(&index).into_iter().flatten();
        arrivals.map(|((block, warp, lane), _)| (*block, *warp, 1 << lane)).collect()
    }
}

/// A copy signals the phase in which it began, as a device would record it; where the engine counted it for a
/// later one, the program expects fewer bytes than it gets.
fn check_phase(
    events: &[Event<'_>],
    from: usize,
    to: usize,
    (owner, address, phase): Signal,
) -> Result<(), NotEncoded> {
    let earlier = events[from..to].iter().any(|event| match event {
        Event::Mbarrier(step) => {
            (step.owner, step.address) == (owner, address) && step.phase < phase
        }
        Event::CopySignal { owner: of, address: at, phase: of_signal, .. } => {
            (*of, *at) == (owner, address) && *of_signal < phase
        }
        _ => false,
    });
    match earlier {
        true => Err(NotEncoded::new("a copy counts for a later phase than it began in")),
        false => Ok(()),
    }
}

impl Encoder<'_> {
    pub(super) fn copy_arrivals(&mut self, index: usize) -> Result<(), NotEncoded> {
        let Some(arrivals) = self.plan.arrivals.remove(&index) else { return Ok(()) };
        let site = self.sites.made_up("arrival of copies", SiteInfo::Plain);
        for ((block, warp, lane), (owner, address, phase)) in arrivals {
            let who = (BlockIndex(block), warp, lane);
            let mut slot =
                self.object_slot(RecordKind::CopyArrive, who, site, (owner, address), phase);
            let turns = self.turns_in_memory(&slot, |_| (Some(owner), address));
            self.push(&mut slot, vec![turns]);
        }
        Ok(())
    }

    pub(super) fn copy_begin(&mut self, copies: &CopyBegin<'_>) -> Result<(), NotEncoded> {
        let CopyBegin { block, warp, mask, site, kind, reduces, .. } = *copies;
        self.sites.learn(site, SiteInfo::Copy { kind, reduces })?;
        let mut slot = slot(RecordKind::CopyBegin, block, warp, mask, site);
        side(&mut slot, &copies.to, mask, block)?;
        let mut parts = Vec::new();
        if let Some(from) = &copies.from {
            let mut part = part_of(&slot, RecordKind::CopySource);
            side(&mut part, from, mask, block)?;
            parts.push(part);
        }
        let number = copies.first;
        let nth = self.plan.destinations.entry(number).or_insert(0);
        let further = *nth;
        *nth += 1;
        if further > 0 {
            slot.header.extra |= SAME_COPY;
        }
        // Lanes whose copies signal objects, each its own.
        let numbers = number..number + u64::from(mask.count_ones());
        let signals: Vec<Option<Signal>> = numbers
            .clone()
            .map(|number| self.plan.signals.get(&number)?.get(further).copied())
            .collect();
        if signals.iter().any(Option::is_some) {
            let all: Option<Vec<Signal>> = signals.into_iter().collect();
            let all = all.ok_or_else(|| NotEncoded::new("only some copies signal an object"))?;
            self.push_objects(&slot, &mut parts, &all);
        }
        let has_object =
            parts.iter().any(|part| part.header.record_kind() == Some(RecordKind::CopyObject));
        self.push(&mut slot, parts);
        if has_object || further > 0 || kind == CopyKind::Store {
            return Ok(());
        }
        let bulk = kind == CopyKind::Bulk;
        for (number, lane) in numbers.zip(lanes(mask)) {
            self.plan.begun.entry(((block.0, warp, lane), bulk)).or_default().push(number);
        }
        self.commit(block, warp, mask, bulk);
        Ok(())
    }

    fn push_objects(&mut self, slot: &Slot, parts: &mut Vec<Slot>, signals: &[Signal]) {
        let own = BlockIndex(slot.header.block);
        let remote = signals.iter().any(|(owner, ..)| *owner != own);
        let place = match remote {
            true => Place::ClusterShared,
            false => Place::Shared,
        };
        let mut part = part_of(slot, RecordKind::CopyObject);
        part.header.extra = place as u32;
        let mut at = [(None, 0); 32];
        for (lane, (owner, address, phase)) in lanes(slot.header.mask).zip(signals) {
            part.lanes[lane as usize] = word_of(place, *owner, *address);
            part.header.wrote |= ((phase & 1) as u32) << lane;
            at[lane as usize] = (Some(*owner), *address);
        }
        let turns = self.turns_in_memory(slot, |lane| at[lane as usize]);
        parts.extend([part, turns]);
    }

    /// Every copy is a group of its own: then any wait can be said.
    fn commit(&mut self, block: BlockIndex, warp: u32, mask: u32, bulk: bool) {
        let (what, read) = (if bulk { "bulk commit" } else { "commit" }, false);
        let site = self.sites.made_up(what, SiteInfo::CopyGroup { bulk, read });
        self.push(&mut slot(RecordKind::CopyCommit, block, warp, mask, site), vec![]);
    }

    pub(super) fn copy_wait(&mut self, event: &Event<'_>) -> Result<(), NotEncoded> {
        let Event::CopyWait { block, warp, mask, site, bulk, read, before } = *event else {
            return Ok(());
        };
        self.sites.learn(site, SiteInfo::CopyGroup { bulk, read })?;
        let mut groups: BTreeMap<u32, u32> = BTreeMap::new();
        for (lane, before) in lanes(mask).zip(before) {
            let begun = self.plan.begun.get(&((block.0, warp, lane), bulk));
            let under_way = begun
                .map_or(0, |begun| begun.iter().filter(|number| *number >= before).count() as u32);
            *groups.entry(under_way).or_default() |= 1 << lane;
        }
        for (at_most, mask) in groups {
            let mut slot = slot(RecordKind::CopyWait, block, warp, mask, site);
            slot.header.extra = at_most;
            self.push(&mut slot, vec![]);
        }
        Ok(())
    }
}

/// Writes one side of copies into a slot.
fn side(
    slot: &mut Slot,
    side: &CopySide<'_>,
    mask: u32,
    block: BlockIndex,
) -> Result<(), NotEncoded> {
    let place = place_of(side.space, side.owner, block)
        .ok_or_else(|| NotEncoded::new("a copy in another memory"))?;
    slot.header.extra = place as u32;
    slot.header.wrote = side.bytes;
    for (lane, address) in side.addresses.of(mask) {
        slot.lanes[lane as usize] = word_of(place, side.owner, address);
    }
    Ok(())
}
