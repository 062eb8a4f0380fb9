//! `mbarrier` objects: what arrivals and copies pass on to those who wait.

use super::HappensBefore;
use super::chain::PlaceId;
use super::handoff::{Arrival, Via};
use super::reads::Touched;
use super::rules::Rule;
use super::shadow::{Entry, Mapping, Role};
use super::strong::StrongAccess;
use super::threads::LaneId;
use super::writers::{End, Point};
use std::sync::Arc;
use warpsan_event::{LaneAddresses, MbarrierAccess, MbarrierStep};
use warpsan_model::{Order, Scope, Strength};

/// So many arrivals at an object are remembered to name what is missing.
const MOST_ARRIVALS: usize = 64;

/// Bytes of an object.
const OBJECT: u8 = 8;

impl HappensBefore {
    pub(super) fn mbarrier(&mut self, access: &MbarrierAccess) {
        let (block, owner) = (self.block_number(access.block), self.block_number(access.owner));
        let id = LaneId { block, warp: access.warp, lane: access.lane };
        let (order, scope) = match access.strength {
            Strength::Strong { order, scope } => (order, scope),
            Strength::Weak | Strength::Volatile => (Order::Relaxed, Scope::Cta),
        };
        let key = (owner, access.address);
        if access.step == MbarrierStep::Wait {
            self.wait(id, key, (order, scope), access.phase);
        }
        self.object_access(access, id, owner);
        self.note_arrival(access, id, key, (order, scope));
        match access.step {
            MbarrierStep::Init | MbarrierStep::Invalidate => {
                self.objects.remove(&key);
            }
            MbarrierStep::Arrive | MbarrierStep::ArriveDrop => {
                let relaxed = !order.releases();
                if relaxed {
                    self.rules.count(Rule::MbarrierRelaxed);
                    // What comes after it is told apart from what it could have released.
                    self.threads.warp(id.block, id.warp).epoch += 1;
                }
                if !relaxed || !self.rules.applies(Rule::MbarrierRelaxed) {
                    self.rules.count(Rule::MbarrierScopes);
                    let mutual = self.rules.applies(Rule::MbarrierScopes);
                    let scope = if mutual { scope } else { Scope::Sys };
                    let phases = self.objects.entry(key).or_default();
                    let (released, _) = phases.of(access.phase);
                    self.threads.arrive(id, scope, released);
                }
            }
            MbarrierStep::Expect | MbarrierStep::Wait => {}
        }
    }

    /// Remembers who hands over to whom, to name what is missing.
    fn note_arrival(
        &mut self,
        access: &MbarrierAccess,
        id: LaneId,
        key: (u32, u64),
        (order, scope): (Order, Scope),
    ) {
        let end = End { site: self.site_number(access.site), scope, is_fence: false, epoch: 0 };
        let state = self.threads.warp(id.block, id.warp);
        let view = Arc::clone(state.view(id.lane));
        let who = Point { block: id.block, warp: id.warp, lanes: 1 << id.lane, epoch: state.epoch };
        match access.step {
            MbarrierStep::Init | MbarrierStep::Invalidate => {
                self.arrivals.remove(&key);
            }
            MbarrierStep::Arrive | MbarrierStep::ArriveDrop => {
                let arrivals = self.arrivals.entry(key).or_default();
                if arrivals.len() == MOST_ARRIVALS {
                    arrivals.pop_front();
                }
                let (phase, releases) = (access.phase, order.releases());
                arrivals.push_back(Arrival { phase, who, view, end, releases });
            }
            MbarrierStep::Wait => {
                // Hand-offs that are in order need no explanation.
                let complete = |arrival: &&Arrival| arrival.phase < access.phase;
                for arrival in self.arrivals.get(&key).into_iter().flatten().filter(complete) {
                    let mutual = self
                        .threads
                        .mutual((arrival.end.scope, arrival.who.block), (scope, id.block));
                    if !(arrival.releases && order.acquires() && mutual) {
                        let acquires = order.acquires();
                        self.handoffs.add_wait(arrival, who, end, acquires, Via::Mbarrier);
                    }
                }
            }
            MbarrierStep::Expect => {}
        }
    }

    /// A lane knows that so many phases of the object are complete.
    fn wait(&mut self, id: LaneId, key: (u32, u64), (order, scope): (Order, Scope), complete: u64) {
        if !order.acquires() {
            self.rules.count(Rule::MbarrierRelaxed);
            if self.rules.applies(Rule::MbarrierRelaxed) {
                return;
            }
        }
        let (Some(last), Some(phases)) = (complete.checked_sub(1), self.objects.get(&key)) else {
            return;
        };
        let cluster = self.threads.cluster(id.block);
        let scope = if self.rules.applies(Rule::MbarrierScopes) { scope } else { Scope::Sys };
        for (released, copies) in phases.up_to(last) {
            if self.rules.applies(Rule::Mbarrier) {
                self.rules.count(Rule::Mbarrier);
                for view in released.for_reader(id.block, cluster, scope).iter().flatten() {
                    self.threads.learn_together(id.block, id.warp, 1 << id.lane, view);
                }
            }
            self.threads.learn_together(id.block, id.warp, 1 << id.lane, copies);
        }
    }

    /// The object itself is memory: nobody may use it before it is known to be initialised.
    fn object_access(&mut self, access: &MbarrierAccess, id: LaneId, owner: u32) {
        let place = PlaceId { owner: Some(owner), start: access.address, bytes: OBJECT };
        let who = (id.block, id.warp);
        let addresses = LaneAddresses::Uniform(access.address);
        let size = u64::from(OBJECT);
        self.meet_noted_reads(&Touched { owner: Some(owner), who, addresses, mask: 1, size });
        self.remember_noted_updates(owner);
        match access.step {
            MbarrierStep::Init | MbarrierStep::Invalidate => {
                let entry = Entry {
                    block: id.block,
                    site: self.site_number(access.site),
                    lanes: 1 << id.lane,
                    active: 1 << id.lane,
                    warp: id.warp as u8,
                    held: self.locks.held(id),
                    mapping: Mapping::UNIFORM,
                    role: Role::Object,
                    writes: true,
                    ..Entry::EMPTY
                };
                self.weak_range(id, entry, Some(owner), access.address, u64::from(OBJECT));
            }
            step => self.strong_element(StrongAccess {
                id,
                place,
                order: Order::Relaxed,
                scope: Scope::Sys,
                writes: step != MbarrierStep::Wait,
                atomic: step != MbarrierStep::Wait,
                observes: false,
                object: true,
                site: self.site_number(access.site),
                active: 1 << id.lane,
                value: None,
            }),
        }
    }
}
