//! The clock of lanes that execute together.

use super::floors::Floor;
use super::{Floors, Thread};
use std::sync::Arc;
use warpsan_model::{WARP_LANES, lanes};

/// The formats of the thesis.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Format {
    /// All lanes of the warp execute together.
    Converged,
    /// The other lanes of the warp are known up to one clock.
    Diverged,
    /// Each of the other lanes is known up to a clock of its own.
    NestedDiverged,
    /// Something is known of single threads, or of another block.
    Sparse,
}

impl Format {
    pub(crate) const ALL: [Format; 4] =
        [Format::Converged, Format::Diverged, Format::NestedDiverged, Format::Sparse];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Format::Converged => "instructions with clocks in format CONVERGED",
            Format::Diverged => "instructions with clocks in format DIVERGED",
            Format::NestedDiverged => "instructions with clocks in format NESTEDDIVERGED",
            Format::Sparse => "instructions with clocks in format SPARSEVC",
        }
    }
}

/// What is known of the lanes of the warp that are not in the group.
#[derive(Debug, Clone)]
enum OtherLanes {
    /// There are none that have not ended; the clock of the block is known of those that have.
    None,
    Same(u32),
    Each(Box<[u32; WARP_LANES as usize]>),
}

/// The vector clocks of lanes that execute together. They differ in one thing only: a lane knows itself up to `local`,
/// and the others of the group up to the clock before that, because lanes of one instruction are concurrent.
#[derive(Debug, Clone)]
pub(crate) struct GroupClock {
    block: u32,
    warp: u16,
    /// The lanes that the warp has.
    whole: u32,
    /// The lanes of the group; never none.
    lanes: u32,
    /// The clock of each lane of the group, from 1.
    local: u32,
    others: OtherLanes,
    /// What is known of every thread of the block, at least.
    block_clock: u32,
    /// What is known besides; never empty.
    beyond: Option<Arc<Floors>>,
}

impl GroupClock {
    /// Lanes that begin: they know nobody.
    pub(super) fn new(block: u32, warp: u16, whole: u32) -> GroupClock {
        let (others, beyond) = (OtherLanes::None, None);
        GroupClock { block, warp, whole, lanes: whole, local: 1, others, block_clock: 0, beyond }
    }

    /// Lanes that have met with all of their block, whose highest clock was this.
    pub(super) fn after_barrier(
        &self,
        lanes: u32,
        highest: u32,
        beyond: Option<Arc<Floors>>,
    ) -> GroupClock {
        GroupClock {
            block: self.block,
            warp: self.warp,
            whole: self.whole,
            lanes,
            local: highest + 1,
            others: OtherLanes::None,
            block_clock: highest,
            beyond,
        }
    }

    pub(crate) fn lanes(&self) -> u32 {
        self.lanes
    }

    pub(crate) fn local(&self) -> u32 {
        self.local
    }

    pub(super) fn beyond(&self) -> Option<&Arc<Floors>> {
        self.beyond.as_ref()
    }

    pub(crate) fn format(&self) -> Format {
        match (&self.beyond, &self.others) {
            (Some(_), _) => Format::Sparse,
            (None, OtherLanes::None) => Format::Converged,
            (None, OtherLanes::Same(_)) => Format::Diverged,
            (None, OtherLanes::Each(_)) => Format::NestedDiverged,
        }
    }

    /// Up to which clock a lane of the group knows a thread.
    #[inline]
    pub(crate) fn known(&self, observer: u8, thread: Thread) -> u32 {
        if (thread.block, thread.warp) == (self.block, self.warp) {
            if thread.lane == observer {
                return self.local;
            }
            if self.lanes >> thread.lane & 1 == 1 {
                return self.local - 1;
            }
        }
        self.known_outside(thread)
    }

    /// The same for a thread that is not in the group.
    fn known_outside(&self, thread: Thread) -> u32 {
        let mut known = self.beyond.as_ref().map_or(0, |beyond| beyond.of(thread));
        if thread.block == self.block {
            known = known.max(self.block_clock);
            if thread.warp == self.warp {
                known = known.max(self.of_other_lane(u32::from(thread.lane)));
            }
        }
        known
    }

    fn of_other_lane(&self, lane: u32) -> u32 {
        match &self.others {
            OtherLanes::None => self.block_clock,
            OtherLanes::Same(clock) => *clock,
            OtherLanes::Each(clocks) => clocks[lane as usize],
        }
    }

    /// Lanes of the group meet and go on: each knows what all of them have done so far.
    #[inline]
    pub(crate) fn advance(&mut self) {
        self.local += 1;
    }

    /// What is known of the lanes of the warp, those of the group included.
    fn of_warp(&self, of_group: u32) -> [u32; WARP_LANES as usize] {
        std::array::from_fn(|lane| match self.lanes >> lane & 1 {
            1 => of_group,
            _ => self.of_other_lane(lane as u32),
        })
    }

    /// Chooses the simplest form for what is known of other lanes.
    fn set_others(&mut self, clocks: [u32; WARP_LANES as usize]) {
        let outside = self.whole & !self.lanes;
        let first = clocks[outside.trailing_zeros() as usize % WARP_LANES as usize];
        self.others = match outside {
            0 => OtherLanes::None,
            _ if lanes(outside).all(|lane| clocks[lane as usize] == first) => {
                OtherLanes::Same(first)
            }
            _ => OtherLanes::Each(Box::new(clocks)),
        };
    }

    /// Lanes leave the group. Both parts know the other one as they did.
    pub(super) fn split(&mut self, leaving: u32) -> GroupClock {
        debug_assert!(leaving & !self.lanes == 0 && leaving != 0 && leaving != self.lanes);
        let clocks = self.of_warp(self.local - 1);
        let mut left = self.clone();
        left.lanes = leaving;
        left.set_others(clocks);
        self.lanes &= !leaving;
        self.set_others(clocks);
        left
    }

    /// Another group of the warp meets with this one.
    pub(super) fn join(&mut self, other: &GroupClock) {
        let (mine, theirs) = (self.of_warp(self.local), other.of_warp(other.local));
        self.lanes |= other.lanes;
        self.local = self.local.max(other.local) + 1;
        self.block_clock = self.block_clock.max(other.block_clock);
        self.set_others(std::array::from_fn(|lane| mine[lane].max(theirs[lane])));
        if let Some(beyond) = &other.beyond {
            self.acquire(beyond);
        }
    }

    /// The group learns what somebody has released.
    pub(crate) fn acquire(&mut self, released: &Arc<Floors>) {
        if self.beyond.as_ref().is_some_and(|known| Arc::ptr_eq(known, released)) {
            return;
        }
        if self.beyond.is_none() && !released.mentions(self.block) {
            self.beyond = (!released.is_empty()).then(|| Arc::clone(released));
            return;
        }
        let mut clocks = self.of_warp(0);
        for (floor, clock) in released.iter() {
            match floor {
                Floor::Block(block) if block == self.block => {
                    self.block_clock = self.block_clock.max(clock);
                }
                Floor::Warp(block, warp) if (block, warp) == (self.block, self.warp) => {
                    clocks = clocks.map(|known| known.max(clock));
                }
                Floor::Thread(thread) if (thread.block, thread.warp) == (self.block, self.warp) => {
                    let known = &mut clocks[usize::from(thread.lane)];
                    *known = clock.max(*known);
                }
                _ => self.learn(floor, clock),
            }
        }
        self.set_others(clocks);
    }

    /// Something about threads outside of the warp.
    fn learn(&mut self, floor: Floor, clock: u32) {
        if floor.block() == self.block && clock <= self.block_clock {
            return;
        }
        Arc::make_mut(self.beyond.get_or_insert_default()).raise(floor, clock);
    }

    /// What a lane of the group knows, for others.
    pub(crate) fn released_by(&self, lane: u8) -> Floors {
        let thread = Thread { block: self.block, warp: self.warp, lane };
        let mut released = self.released(self.local - 1);
        released.raise(Floor::Thread(thread), self.local);
        released
    }

    /// What all lanes of the group know together.
    pub(super) fn released_by_all(&self) -> Floors {
        self.released(self.local)
    }

    fn released(&self, of_group: u32) -> Floors {
        let mut released = self.beyond.as_deref().cloned().unwrap_or_default();
        released.raise(Floor::Block(self.block), self.block_clock);
        let (block, warp) = (self.block, self.warp);
        if self.lanes == self.whole {
            released.raise(Floor::Warp(block, warp), of_group);
            return released;
        }
        for (lane, clock) in self.of_warp(of_group).into_iter().enumerate() {
            if self.whole >> lane & 1 == 1 && clock > self.block_clock {
                let lane = lane as u8;
                released.raise(Floor::Thread(Thread { block, warp, lane }), clock);
            }
        }
        released
    }
}
