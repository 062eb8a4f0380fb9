//! The clock of lanes that execute together.

use super::floors::{Floor, Whom};
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
    /// What was acquired last and is known since: who polls acquires the same again and again.
    last_acquired: Option<Arc<Floors>>,
}

impl GroupClock {
    /// Lanes that begin: they know nobody.
    pub(super) fn new(block: u32, warp: u16, whole: u32) -> GroupClock {
        GroupClock {
            block,
            warp,
            whole,
            lanes: whole,
            local: 1,
            others: OtherLanes::None,
            block_clock: 0,
            beyond: None,
            last_acquired: None,
        }
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
            last_acquired: None,
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
        let known = [&self.beyond, &self.last_acquired];
        if known.into_iter().flatten().any(|known| Arc::ptr_eq(known, released)) {
            return;
        }
        if self.beyond.is_none() && !released.mentions(self.block) {
            self.beyond = (!released.is_empty()).then(|| Arc::clone(released));
            self.last_acquired = Some(Arc::clone(released));
            return;
        }
        let mut clocks = self.of_warp(0);
        let mut outside = Floors::clone(released);
        outside.forget(self.block);
        for &(floor, clock) in released.of_block(self.block) {
            match floor.whom() {
                Whom::Block => self.block_clock = self.block_clock.max(clock),
                Whom::Warp(warp) if warp == self.warp => {
                    clocks = clocks.map(|known| known.max(clock));
                }
                Whom::Lane(warp, lane) if warp == self.warp => {
                    let known = &mut clocks[usize::from(lane)];
                    *known = clock.max(*known);
                }
                // A block comes before its warps and threads.
                _ if clock <= self.block_clock => {}
                _ => outside.raise(floor, clock),
            }
        }
        self.learn(outside);
        self.last_acquired = Some(Arc::clone(released));
        self.set_others(clocks);
    }

    /// Something about threads outside of the warp.
    fn learn(&mut self, outside: Floors) {
        match &mut self.beyond {
            _ if outside.is_empty() => {}
            Some(beyond) => Arc::make_mut(beyond).join(&outside),
            none => *none = Some(Arc::new(outside)),
        }
    }

    /// What a lane of the group knows, for others.
    pub(crate) fn released_by(&self, lane: u8) -> Floors {
        let thread = Thread { block: self.block, warp: self.warp, lane };
        let mut released = self.released(self.local - 1);
        released.raise(Floor::of_thread(thread), self.local);
        released
    }

    /// What all lanes of the group know together.
    pub(super) fn released_by_all(&self) -> Floors {
        self.released(self.local)
    }

    fn released(&self, of_group: u32) -> Floors {
        let (block, warp) = (self.block, self.warp);
        let mut released = Floors::default();
        released.raise(Floor::of_block(block), self.block_clock);
        let clocks = self.of_warp(of_group);
        let in_warp = || lanes(self.whole).map(|lane| (lane as u8, clocks[lane as usize]));
        let of_all = in_warp().map(|(_, clock)| clock).min().unwrap_or(0);
        released.raise(Floor::of_warp(block, warp), of_all);
        for (lane, clock) in in_warp().filter(|(_, clock)| *clock > of_all) {
            released.raise(Floor::of_thread(Thread { block, warp, lane }), clock);
        }
        if let Some(beyond) = &self.beyond {
            released.join(beyond);
        }
        released
    }
}
