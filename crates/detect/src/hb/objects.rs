//! `mbarrier` objects, as events: they order threads, and are memory themselves.

use super::HappensBefore;
use super::diagnosis::{Arrival, End, Point, Via};
use super::history::{Entry, Mapping, Role, Touched};
use super::ids::{BlockNumber, LaneId, StrongLocationId, WarpNumber};
use super::order::Object;
use super::strong_access::StrongAccess;
use std::sync::Arc;
use warpsan_event::{LaneAddresses, MbarrierAccess, MbarrierStep};
use warpsan_model::{Order, Scope, Strength};

/// Bytes of an object.
const OBJECT: u8 = 8;

impl HappensBefore {
    pub(super) fn mbarrier(&mut self, access: &MbarrierAccess) {
        let block = self.order.block_number(access.block);
        let id = LaneId { block, warp: WarpNumber(access.warp), lane: access.lane };
        let (order, scope) = match access.strength {
            Strength::Strong { order, scope } => (order, scope),
            Strength::Weak | Strength::Volatile => (Order::Relaxed, Scope::Cta),
        };
        let owner = self.order.block_number(access.owner);
        let object = Object { owner, address: access.address };
        if access.step == MbarrierStep::Wait {
            self.order.wait_for_object(id, object, (order, scope), access.phase, &self.rules);
        }
        self.object_access(access, id, owner);
        self.note_arrival(access, id, object, (order, scope));
        match access.step {
            MbarrierStep::Init | MbarrierStep::Invalidate => self.order.reset_object(object),
            MbarrierStep::Arrive | MbarrierStep::ArriveDrop => {
                let kind = (order, scope);
                self.order.arrive_at_object(id, object, kind, access.phase, &self.rules);
            }
            MbarrierStep::Expect | MbarrierStep::Wait => {}
        }
    }

    /// Remembers who hands over to whom, to name what is missing.
    fn note_arrival(
        &mut self,
        access: &MbarrierAccess,
        id: LaneId,
        object: Object,
        (order, scope): (Order, Scope),
    ) {
        let site = self.order.site_number(access.site);
        let end = End::of_operation(site, scope, 0);
        let state = self.order.threads.warp(id.warp());
        let view = Arc::clone(state.view(id.lane));
        let (lanes, epoch, met) = (1 << id.lane, state.epoch, state.met);
        let who = Point { block: id.block, warp: id.warp, lanes, epoch, met };
        match access.step {
            MbarrierStep::Init | MbarrierStep::Invalidate => {
                self.diagnosis.arrivals.reset_object(object);
            }
            MbarrierStep::Arrive | MbarrierStep::ArriveDrop => {
                let own = order.releases().then_some(end);
                let (phase, releases) = (access.phase, End::releasing(own, id.lane, state));
                let arrival = Arrival { phase, who, view, end, releases };
                self.diagnosis.arrivals.add_at_object(object, arrival);
            }
            MbarrierStep::Wait => {
                self.diagnosis.has_waited(id, site, object, access.phase);
                // Hand-offs that are in order need no explanation.
                let complete = |arrival: &&Arrival| arrival.phase < access.phase;
                for arrival in self.diagnosis.arrivals.at_object(object).filter(complete) {
                    let arrived = (arrival.end.scope, arrival.who.block);
                    let mutual = self.order.threads.mutual(arrived, (scope, id.block));
                    let acquires = order.acquires();
                    if !(arrival.is_release() && acquires && mutual) {
                        let handoffs = &mut self.diagnosis.handoffs;
                        handoffs.add_wait(arrival, who, end, acquires, Via::Mbarrier);
                    }
                }
            }
            MbarrierStep::Expect => {}
        }
    }

    /// The object itself is memory: nobody may use it before it is known to be initialised.
    fn object_access(&mut self, access: &MbarrierAccess, id: LaneId, owner: BlockNumber) {
        let location =
            StrongLocationId { owner: Some(owner), start: access.address, bytes: OBJECT };
        let who = id.warp();
        let addresses = LaneAddresses::Uniform(access.address);
        let size = u64::from(OBJECT);
        self.meet_noted_reads(&Touched { owner: Some(owner), who, addresses, mask: 1, size });
        self.history.remember_noted_updates(owner);
        match access.step {
            MbarrierStep::Init | MbarrierStep::Invalidate => {
                let entry = Entry {
                    block: id.block,
                    site: self.order.site_number(access.site),
                    lanes: 1 << id.lane,
                    active: 1 << id.lane,
                    warp: id.warp.for_entry(),
                    held: self.diagnosis.locks.held(id, 1 << id.lane),
                    mapping: Mapping::UNIFORM,
                    role: Role::Object,
                    writes: true,
                    ..Entry::EMPTY
                };
                self.weak_range(id, entry, Some(owner), access.address, u64::from(OBJECT));
            }
            step => self.strong_element(StrongAccess {
                id,
                location,
                order: Order::Relaxed,
                scope: Scope::Sys,
                writes: step != MbarrierStep::Wait,
                atomic: step != MbarrierStep::Wait,
                observes: false,
                object: true,
                site: self.order.site_number(access.site),
                active: 1 << id.lane,
                value: None,
            }),
        }
    }
}
