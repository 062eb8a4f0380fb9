//! Hand-offs through flags and counters that do not synchronise: used to name what is missing.
//!
//! A strong read that observes a strong write of another thread hands something over, whether or not
//! there are the fences that make it an order. Where a race is found, the hand-offs show whether it would
//! be none if the scopes were wider, or if the fences were there.

use super::arrivals::Arrival;
use super::pending_races::{PendingRace, Side};
use super::writers::{End, Point, Writer, Writers};
use crate::clock::Epoch;
use crate::hb::ids::{Agent, BlockNumber, LaneId, SiteNumber, StrongLocationId, WarpId, WarpLanes};
use crate::hb::order::{Fence, Observer, Past, Threads, WarpState, reach};
use crate::hb::strong_access::StrongAccess;
use rustc_hash::FxHashMap;
use std::collections::VecDeque;
use std::sync::Arc;
use warpsan_model::{Order, Scope};

/// So many reads are remembered; the oldest are forgotten.
const MOST: usize = 1024;
/// Of so many threads and instructions it is known what they have read last: who spins reads it again and again.
const MOST_SPINNING: usize = 4096;
/// So many writes are looked at for one race.
const MOST_LOOKED_AT: usize = 1 << 18;

/// What a hand-off goes through.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::hb) enum Via {
    /// A strong write and a strong read.
    Flag,
    /// An `mbarrier` object.
    Mbarrier,
    /// The barrier of a cluster.
    Cluster,
    /// The order of `fence.sc`, where that counts by itself.
    FenceOrder,
}

/// A strong read that observed a strong write of another thread, or a wait after an arrival: where both are.
#[derive(Debug, Clone, Copy)]
pub(in crate::hb) struct Handoff {
    pub(in crate::hb) write_site: SiteNumber,
    pub(in crate::hb) read_site: SiteNumber,
    pub(in crate::hb) via: Via,
}

/// A strong read that observed strong writes, or a wait after an arrival.
#[derive(Debug)]
struct Observation {
    writers: Writers,
    reader: Point,
    read_site: SiteNumber,
    /// The read and the last write are morally strong.
    linked: bool,
    via: Via,
    /// Where the flag is, if it goes through one.
    flag: Option<StrongLocationId>,
    /// The read itself acquires.
    read_acquires: Option<Scope>,
}

/// What is wrong with a hand-off.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::hb) enum HandoffFault {
    /// The flag is written or read with a scope that does not reach the other side.
    FlagScope,
    /// Nothing releases before the write.
    NoRelease,
    /// Nothing releases before the write, and nothing acquires after the read.
    NeitherEnd,
    /// The release has too narrow a scope.
    ReleaseScope(End),
    /// Nothing acquires after the read.
    NoAcquire,
    /// The acquire has too narrow a scope.
    AcquireScope(End),
}

impl HandoffFault {
    pub(in crate::hb) fn is_scope(self) -> bool {
        use HandoffFault::{NeitherEnd, NoAcquire, NoRelease};
        !matches!(self, NoRelease | NeitherEnd | NoAcquire)
    }
}

/// The instructions of two accesses that race.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct SitePair {
    pub(super) old: SiteNumber,
    pub(super) new: SiteNumber,
}

impl SitePair {
    /// The same for both orders.
    pub(super) fn sorted(one: SiteNumber, other: SiteNumber) -> SitePair {
        SitePair { old: one.min(other), new: one.max(other) }
    }
}

/// How often a pair of sites was looked at, and the hand-off that was found last.
#[derive(Debug, Default)]
pub(super) struct LookedAt {
    pub(super) times: u64,
    pub(super) last: Option<(Handoff, HandoffFault)>,
}

/// The hand-offs of a launch.
#[derive(Debug, Default)]
pub(in crate::hb) struct Handoffs {
    recent: VecDeque<Observation>,
    /// How many were forgotten.
    forgotten: usize,
    /// The last read of a thread's instruction: its number among all.
    latest: FxHashMap<(LaneId, SiteNumber), usize>,
    /// The last `fence.sc`, where their bare order counts.
    fences: Writers,
}

impl Handoffs {
    pub(in crate::hb) fn clear(&mut self) {
        *self = Handoffs::default();
    }

    pub(in crate::hb) fn is_empty(&self) -> bool {
        self.recent.is_empty()
    }

    fn add(&mut self, observation: Observation) {
        if self.recent.len() == MOST {
            self.recent.pop_front();
            self.forgotten += 1;
        }
        self.recent.push_back(observation);
    }

    /// A wait for a phase that somebody arrived for.
    pub(in crate::hb) fn add_wait(
        &mut self,
        arrival: &Arrival,
        reader: Point,
        wait: End,
        acquires: bool,
        via: Via,
    ) {
        let writer = Writer {
            who: arrival.who,
            site: arrival.end.site,
            view: Arc::clone(&arrival.view),
            releases: arrival.releases.clone(),
            linked: true,
            updates: false,
            is_alone: true,
        };
        self.add(Observation {
            writers: Writers::of(writer),
            reader,
            read_site: wait.site,
            linked: true,
            via,
            flag: None,
            read_acquires: acquires.then_some(wait.scope),
        });
    }
}

impl Handoffs {
    /// Remembers that a strong read, in this epoch of its warp, has observed writes.
    pub(in crate::hb) fn note_flag(
        &mut self,
        access: &StrongAccess,
        epoch: Epoch,
        linked: bool,
        writers: &Writers,
    ) {
        let id = access.id;
        let reader = Point { block: id.block, warp: id.warp, lanes: 1 << id.lane, epoch, met: 0 };
        if writers.is_empty() {
            return;
        }
        let observation = Observation {
            writers: writers.clone(),
            reader,
            read_site: access.site,
            linked,
            via: Via::Flag,
            flag: Some(access.location),
            read_acquires: access.order.acquires().then_some(access.scope),
        };
        if self.latest.len() >= MOST_SPINNING {
            self.latest.clear();
        }
        let number = self.forgotten + self.recent.len();
        let latest = self.latest.entry((id, access.site)).or_insert(number);
        let place = latest.checked_sub(self.forgotten);
        match place.and_then(|place| self.recent.get_mut(place)) {
            Some(before) if observation.repeats(before) => *before = observation,
            _ => {
                *latest = number;
                self.add(observation);
            }
        }
    }

    /// Lanes execute a `fence.sc`, whose bare order counts: it comes after those before it, and before those that follow.
    pub(in crate::hb) fn note_fence(&mut self, lanes: WarpLanes, end: End, state: &WarpState) {
        let WarpLanes { block, warp, mask } = lanes;
        let who = Point { block, warp, lanes: mask, epoch: state.epoch, met: state.met };
        if !self.fences.is_empty() {
            self.add(Observation {
                writers: self.fences.clone(),
                reader: who,
                read_site: end.site,
                linked: true,
                via: Via::FenceOrder,
                flag: None,
                read_acquires: Some(end.scope),
            });
        }
        self.fences.add(Writer {
            who,
            site: end.site,
            view: Arc::clone(state.view(mask.trailing_zeros())),
            releases: vec![end],
            linked: true,
            updates: true,
            is_alone: true,
        });
    }

    /// The hand-off between two racing accesses that would order them, and what is wrong with it.
    /// Faults of scope are found first: they need the least change. `flags_or_data` says that the two are strong accesses
    /// of one word, which may be such hand-offs themselves.
    pub(super) fn broken(
        &self,
        conflict: &PendingRace,
        who: &Observer<'_>,
        threads: &Threads,
        flags_or_data: bool,
    ) -> Option<(Handoff, HandoffFault)> {
        let path = |only_scope| self.path(conflict, who, threads, only_scope, flags_or_data);
        path(true).or_else(|| path(false))
    }

    /// Follows hand-offs from the old access to the new one, and returns the first one with a fault.
    fn path(
        &self,
        conflict: &PendingRace,
        who: &Observer<'_>,
        threads: &Threads,
        only_scope: bool,
        flags_or_data: bool,
    ) -> Option<(Handoff, HandoffFault)> {
        let PendingRace { old, new, .. } = conflict;
        // What is reached from the old access: points of threads, and the first faulty hand-off on the way.
        let mut reached: Vec<Reached> = vec![(old.point(), None, None)];
        let mut used = vec![false; self.recent.len()];
        let (mut next, mut looked_at) = (0, 0);
        while let Some(&(from, fault, last)) = reached.get(next) {
            next += 1;
            let is_start = next == 1;
            if !is_start && ends_at(who, new, from) {
                // Each is in order by itself: then what acquires comes too late for who makes the new access.
                let too_late = last.filter(|_| !only_scope);
                return fault.or(too_late.map(|last| (last, HandoffFault::NoAcquire)));
            }
            for (index, observation) in self.recent.iter().enumerate() {
                // A counter is no flag for the start value that was stored to it.
                let is_of_data =
                    old.weak && observation.is_through(conflict.owner, conflict.address);
                if used[index] || is_of_data {
                    continue;
                }
                let read_site = observation.read_site;
                for (writer, linked) in observation.writers() {
                    looked_at += 1;
                    // Two strong accesses are no hand-off between themselves. Nor are those of other words by the same
                    // two instructions, where both would be flags, or both data.
                    let is_itself = !old.weak
                        && !new.weak
                        && (is_start || flags_or_data)
                        && writer.site == old.site
                        && read_site == new.site;
                    let begins_after = writer.is_after(&from, is_start.then_some(old.site));
                    if is_itself || !begins_after {
                        continue;
                    }
                    let is_flag_itself =
                        is_start && !old.weak && old.writes && writer.site == old.site;
                    let own = match is_flag_itself {
                        // What was observed needs no fence.
                        true => (!linked).then_some(HandoffFault::FlagScope),
                        false => observation.fault(&writer, linked, (from, new), threads),
                    };
                    if only_scope && own.is_some_and(|own| !own.is_scope()) {
                        continue;
                    }
                    used[index] = true;
                    let via = observation.via;
                    let handoff = Handoff { write_site: writer.site, read_site, via };
                    let fault = fault.or(own.map(|own| (handoff, own)));
                    reached.push((observation.reader, fault, Some(handoff)));
                    break;
                }
            }
            if looked_at > MOST_LOOKED_AT {
                return None;
            }
        }
        None
    }
}

/// A point of a thread that was reached, the first faulty hand-off on the way, and the last one.
type Reached = (Point, Option<(Handoff, HandoffFault)>, Option<Handoff>);

/// Whether the new access comes after a point of a thread.
fn ends_at(who: &Observer<'_>, new: &Side, from: Point) -> bool {
    let same = (from.block, from.warp) == (new.block, new.warp) && from.lanes >> new.lane & 1 == 1;
    let past = Past {
        block: from.block,
        warp: from.warp,
        epoch: from.epoch,
        lanes: from.lanes,
        agent: Agent::Thread,
        writes: false,
    };
    same || who.unknown_lanes(&past) != from.lanes
}

impl Observation {
    /// Whether the thread has read the same before, or what was updated since, and has released nothing between: it
    /// spins.
    fn repeats(&self, before: &Observation) -> bool {
        self.flag == before.flag
            && self.reader.epoch <= before.reader.epoch + 1
            && self.linked == before.linked
            && self.writers.continues(&before.writers)
    }

    /// Whether a byte is of the flag itself.
    fn is_through(&self, owner: Option<BlockNumber>, address: u64) -> bool {
        self.flag.is_some_and(|flag| {
            let end = flag.start + u64::from(flag.bytes);
            flag.owner == owner && (flag.start..end).contains(&address)
        })
    }

    /// The writers of other threads whom the reader observed, and whether it is morally strong with them: those before
    /// the last one are observed, too, as each was updated by the next.
    fn writers(&self) -> impl Iterator<Item = (Writer, bool)> {
        let mut linked = self.linked;
        self.writers.newest_first().filter_map(move |writer| {
            let mut writer = writer.clone();
            let is_linked = linked;
            linked &= writer.linked;
            // At a barrier, lanes arrive and wait together.
            if self.via == Via::Flag && writer.who.warp() == self.reader.warp() {
                writer.who.lanes &= !self.reader.lanes;
            }
            (writer.who.lanes != 0).then_some((writer, is_linked))
        })
    }

    /// What is wrong with it for somebody who comes from this point; nothing if it is a proper
    /// synchronisation. What is missing comes before what is too narrow.
    fn fault(
        &self,
        writer: &Writer,
        linked: bool,
        (from, new): (Point, &Side),
        threads: &Threads,
    ) -> Option<HandoffFault> {
        let same = from.shares_a_thread(&writer.who);
        // What a thread did after its fence is not released by it.
        let covers = |end: &End| !(same && end.is_fence && from.epoch > end.epoch);
        let covering = writer.releases.iter().copied().filter(covers);
        let Some(release) = covering.max_by_key(|end| reach(end.scope)) else {
            return Some(match self.acquire(threads) {
                Some(_) => HandoffFault::NoRelease,
                None => HandoffFault::NeitherEnd,
            });
        };
        // A `fence.sc` of who makes the new access comes after one that the hand-off shows to be before it.
        let forced = || release.is_sc.then(|| self.sc_fence_of(new, threads)).flatten();
        let Some(acquire) = self.acquire(threads).or_else(forced) else {
            return Some(HandoffFault::NoAcquire);
        };
        if !linked {
            return Some(HandoffFault::FlagScope);
        }
        let reaches = |scope: Scope, from: BlockNumber, to: BlockNumber| {
            threads.mutual((scope, from), (Scope::Sys, to))
        };
        if !reaches(release.scope, writer.who.block, self.reader.block) {
            return Some(HandoffFault::ReleaseScope(release));
        }
        if !reaches(acquire.scope, self.reader.block, writer.who.block) {
            return Some(HandoffFault::AcquireScope(acquire));
        }
        None
    }

    /// The widest `fence.sc` behind the read of who makes the new access.
    fn sc_fence_of(&self, new: &Side, threads: &Threads) -> Option<End> {
        let state = threads.existing_warp(WarpId { block: new.block, warp: new.warp })?;
        let is_behind = |fence: &&Fence| {
            let Fence { epoch, met, .. } = **fence;
            let who = Point { epoch, met, ..new.point() };
            fence.lanes >> new.lane & 1 == 1
                && fence.order == Order::SeqCst
                && who.is_after(&fence.view, &self.reader)
        };
        state.fences.iter().filter(is_behind).map(End::of_fence).max_by_key(|end| reach(end.scope))
    }

    /// What acquires after the read: the read itself, or the widest fence since.
    fn acquire(&self, threads: &Threads) -> Option<End> {
        let own = self.read_acquires.map(|scope| End::of_operation(self.read_site, scope, 0));
        let state = threads.existing_warp(self.reader.warp());
        let fences = state.into_iter().flat_map(|state| &state.fences).filter(|fence| {
            fence.lanes >> self.reader.lanes.trailing_zeros() & 1 == 1
                && fence.epoch >= self.reader.epoch
                && fence.order.acquires()
        });
        own.into_iter().chain(fences.map(End::of_fence)).max_by_key(|end| reach(end.scope))
    }
}
