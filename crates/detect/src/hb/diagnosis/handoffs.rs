//! Hand-offs through flags and counters that do not synchronise: used to name what is missing.
//!
//! A strong read that observes a strong write of another thread hands something over, whether or not
//! there are the fences that make it an order. Where a race is found, the hand-offs show whether it would
//! be none if the scopes were wider, or if the fences were there.

use super::arrivals::Arrival;
use super::pending_races::{PendingRace, Side};
use super::writers::{End, MOST_WRITERS, Point, Writers};
use crate::clock::{Epoch, View};
use crate::hb::ids::{Agent, BlockNumber, SiteNumber, StrongLocationId};
use crate::hb::order::{Observer, Past, Threads, reach};
use crate::hb::strong_access::StrongAccess;
use std::collections::VecDeque;
use std::sync::Arc;
use warpsan_model::Scope;

/// So many hand-offs are remembered; the oldest are forgotten.
const MOST: usize = 1024;

/// What a hand-off goes through.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::hb) enum Via {
    /// A strong write and a strong read.
    Flag,
    /// An `mbarrier` object.
    Mbarrier,
    /// The barrier of a cluster.
    Cluster,
}

/// A strong read that observed a strong write of another thread, or a wait after an arrival.
#[derive(Debug, Clone)]
pub(in crate::hb) struct Handoff {
    writer: Point,
    pub(in crate::hb) write_site: SiteNumber,
    /// What the writer knew.
    writer_view: Arc<View>,
    reader: Point,
    pub(in crate::hb) read_site: SiteNumber,
    /// The two are morally strong.
    linked: bool,
    pub(in crate::hb) via: Via,
    /// Where the flag is, if it goes through one.
    flag: Option<StrongLocationId>,
    /// What may release on the writer's side.
    releases: Vec<End>,
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
    recent: VecDeque<Handoff>,
}

impl Handoffs {
    pub(in crate::hb) fn clear(&mut self) {
        self.recent.clear();
    }

    pub(in crate::hb) fn is_empty(&self) -> bool {
        self.recent.is_empty()
    }

    fn add(&mut self, handoff: Handoff) {
        if self.recent.len() == MOST {
            self.recent.pop_front();
        }
        self.recent.push_back(handoff);
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
        self.add(Handoff {
            writer: arrival.who,
            write_site: arrival.end.site,
            writer_view: Arc::clone(&arrival.view),
            reader,
            read_site: wait.site,
            linked: true,
            via,
            flag: None,
            releases: arrival.releases.then_some(arrival.end).into_iter().collect(),
            read_acquires: acquires.then_some(wait.scope),
        });
    }
}

impl Handoffs {
    /// Remembers that a strong read, in this epoch of its warp, has observed writes of other threads.
    pub(in crate::hb) fn note_flag(
        &mut self,
        access: &StrongAccess,
        epoch: Epoch,
        linked: bool,
        writers: &Writers,
    ) {
        let id = access.id;
        let reader = Point { block: id.block, warp: id.warp, lanes: 1 << id.lane, epoch, met: 0 };
        let mut linked = linked;
        // Those before the last one are observed, too, as long as each was updated by the next.
        for writer in writers.newest_first() {
            let mut who = writer.who;
            if who.warp() == reader.warp() {
                who.lanes &= !reader.lanes;
            }
            let own = who.lanes == 0;
            let again = self.recent.iter().rev().take(MOST_WRITERS).any(|known| {
                known.writer == who
                    && known.reader == reader
                    && known.write_site == writer.site
                    && known.read_site == access.site
                    && known.linked == linked
            });
            if !own && !again {
                self.add(Handoff {
                    writer: who,
                    write_site: writer.site,
                    writer_view: Arc::clone(&writer.view),
                    reader,
                    read_site: access.site,
                    linked,
                    via: Via::Flag,
                    flag: Some(access.location),
                    releases: writer.releases.clone(),
                    read_acquires: access.order.acquires().then_some(access.scope),
                });
            }
            linked &= writer.linked;
        }
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
        let mut next = 0;
        while let Some(&(from, fault, last)) = reached.get(next) {
            next += 1;
            let is_start = next == 1;
            if !is_start && ends_at(who, new, from) {
                // Each is in order by itself: then what acquires comes too late for who makes the new access.
                let too_late = last.filter(|_| !only_scope);
                let (index, fault) = fault.or(too_late.map(|at| (at, HandoffFault::NoAcquire)))?;
                return Some((self.recent[index].clone(), fault));
            }
            for (index, handoff) in self.recent.iter().enumerate() {
                // Two strong accesses are no hand-off between themselves. Nor are those of other words by the same two
                // instructions, where both would be flags, or both data.
                let is_itself = !old.weak
                    && !new.weak
                    && (is_start || flags_or_data)
                    && handoff.write_site == old.site
                    && handoff.read_site == new.site;
                // Nor is a counter a flag for the start value that was stored to it.
                let is_of_data = old.weak && handoff.is_through(conflict.owner, conflict.address);
                if used[index] || is_itself || is_of_data || !handoff.begins_after(from) {
                    continue;
                }
                let is_flag_itself =
                    is_start && !old.weak && old.writes && handoff.write_site == old.site;
                let own = match is_flag_itself {
                    // What was observed needs no fence.
                    true => (!handoff.linked).then_some(HandoffFault::FlagScope),
                    false => handoff.fault(from, threads),
                };
                if only_scope && own.is_some_and(|own| !own.is_scope()) {
                    continue;
                }
                used[index] = true;
                let fault = fault.or(own.map(|own| (index, own)));
                reached.push((handoff.reader, fault, Some(index)));
            }
        }
        None
    }
}

/// A point of a thread that was reached, the first faulty hand-off on the way, and the last one.
type Reached = (Point, Option<(usize, HandoffFault)>, Option<usize>);

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

impl Handoff {
    /// Whether a byte is of the flag itself.
    fn is_through(&self, owner: Option<BlockNumber>, address: u64) -> bool {
        self.flag.is_some_and(|flag| {
            let end = flag.start + u64::from(flag.bytes);
            flag.owner == owner && (flag.start..end).contains(&address)
        })
    }

    /// Whether the write comes after a point of a thread.
    fn begins_after(&self, from: Point) -> bool {
        self.writer.is_after(&self.writer_view, &from)
    }

    /// What is wrong with it for somebody who comes from this point; nothing if it is a proper
    /// synchronisation. What is missing comes before what is too narrow.
    fn fault(&self, from: Point, threads: &Threads) -> Option<HandoffFault> {
        let same = from.shares_a_thread(&self.writer);
        // What a thread did after its fence is not released by it.
        let covers = |end: &End| !(same && end.is_fence && from.epoch > end.epoch);
        let covering = self.releases.iter().copied().filter(covers);
        let Some(release) = covering.max_by_key(|end| reach(end.scope)) else {
            return Some(match self.acquire(threads) {
                Some(_) => HandoffFault::NoRelease,
                None => HandoffFault::NeitherEnd,
            });
        };
        let Some(acquire) = self.acquire(threads) else { return Some(HandoffFault::NoAcquire) };
        if !self.linked {
            return Some(HandoffFault::FlagScope);
        }
        let reaches = |scope: Scope, from: BlockNumber, to: BlockNumber| {
            threads.mutual((scope, from), (Scope::Sys, to))
        };
        if !reaches(release.scope, self.writer.block, self.reader.block) {
            return Some(HandoffFault::ReleaseScope(release));
        }
        if !reaches(acquire.scope, self.reader.block, self.writer.block) {
            return Some(HandoffFault::AcquireScope(acquire));
        }
        None
    }

    /// What acquires after the read: the read itself, or the widest fence since.
    fn acquire(&self, threads: &Threads) -> Option<End> {
        let own = self.read_acquires.map(|scope| End {
            site: self.read_site,
            scope,
            is_fence: false,
            epoch: 0,
        });
        let state = threads.existing_warp(self.reader.warp());
        let fences = state.into_iter().flat_map(|state| &state.fences).filter(|fence| {
            fence.lanes >> self.reader.lanes.trailing_zeros() & 1 == 1
                && fence.epoch >= self.reader.epoch
                && fence.order.acquires()
        });
        own.into_iter().chain(fences.map(End::of_fence)).max_by_key(|end| reach(end.scope))
    }
}
