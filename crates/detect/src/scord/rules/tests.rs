//! Every row of the tables, on one entry.

use super::super::access::Lanes;
use super::*;
use std::collections::HashMap;

/// One location, and warps that access it by volatile operations unless said otherwise.
#[derive(Default)]
struct Location {
    entry: Option<Metadata>,
    last: (u8, u8, u8),
    fence_file: HashMap<(u8, u8), Fences>,
    barriers: HashMap<u8, u8>,
    meetings: u8,
    checked: Option<Checked>,
}

/// How an access differs from a volatile one without locks.
#[derive(Clone, Copy, Default)]
struct How {
    weak: bool,
    locks: u16,
    lanes: Option<Lanes>,
}

const VOLATILE: How = How { weak: false, locks: 0, lanes: None };
const WEAK: How = How { weak: true, locks: 0, lanes: None };

fn locked(locks: u16) -> How {
    How { locks, ..VOLATILE }
}

impl Location {
    fn access(mut self, (block, warp): (u8, u8), kind: Kind, how: How) -> Location {
        let current = Current {
            kind,
            is_strong: !how.weak,
            block,
            warp,
            barrier: self.barriers.get(&block).copied().unwrap_or_default(),
            fences: self.fence_file.get(&(block, warp)).copied().unwrap_or_default(),
            locks: how.locks,
            lanes: how.lanes,
        };
        let (last_block, last_warp, meetings) = self.last;
        let earlier =
            Earlier { is_in_block: block == last_block, has_met: meetings != self.meetings };
        let mut entry = self.entry.unwrap_or(Metadata::INITIAL);
        let file = &self.fence_file;
        let now = || file.get(&(last_block, last_warp)).copied().unwrap_or_default();
        let checked = check(&mut entry, &current, earlier, now);
        if checked.is_noted {
            self.last = (block, warp, self.meetings);
        }
        Location { entry: Some(entry), checked: Some(checked), ..self }
    }

    fn load(self, who: (u8, u8)) -> Location {
        self.access(who, Kind::Load, VOLATILE)
    }

    fn store(self, who: (u8, u8)) -> Location {
        self.access(who, Kind::Store, VOLATILE)
    }

    fn atomic(self, who: (u8, u8), reach: Reach) -> Location {
        self.access(who, Kind::Atomic(reach), VOLATILE)
    }

    fn fence(mut self, who: (u8, u8), reach: Reach) -> Location {
        self.fence_file.entry(who).or_default().count(reach);
        self
    }

    fn barrier(mut self, block: u8) -> Location {
        *self.barriers.entry(block).or_default() += 1;
        self
    }

    fn meet(mut self) -> Location {
        self.meetings += 1;
        self
    }

    #[track_caller]
    fn finds(self, rule: Rule) -> Location {
        let outcome = self.checked.expect("an access").outcome;
        let found = match outcome {
            Outcome::RaceFree(rule) | Outcome::Race { rule, .. } => Some(rule),
            _ => None,
        };
        assert_eq!(found, Some(rule), "{outcome:?}");
        self
    }

    #[track_caller]
    fn gives(self, outcome: Outcome) -> Location {
        assert_eq!(self.checked.expect("an access").outcome, outcome);
        self
    }
}

fn place() -> Location {
    Location::default()
}

const W0: (u8, u8) = (0, 0);
const W1: (u8, u8) = (0, 1);
const W2: (u8, u8) = (0, 2);
const OTHER: (u8, u8) = (1, 0);
const THIRD: (u8, u8) = (2, 0);
use Reach::{Block, Device};
use Rule::*;

#[test]
fn table_3_a_the_first_access_is_free() {
    place().load(W0).finds(FirstAccess);
    place().store(W0).finds(FirstAccess);
    place().atomic(W0, Block).finds(FirstAccess);
}

#[test]
fn table_3_b_one_warp_is_in_program_order() {
    place().access(W0, Kind::Store, WEAK).access(W0, Kind::Load, WEAK).finds(ProgramOrder);
    place().load(W0).store(W0).finds(ProgramOrder);
    place().atomic(W0, Block).store(W0).finds(ProgramOrder);
    // A store that was ordered is the warp's own, whoever was there before it.
    place().load(W0).barrier(0).store(W1).finds(Barrier).load(W1).finds(ProgramOrder);
}

#[test]
fn table_3_b_does_not_hold_where_others_have_read() {
    let shared = || place().access(W0, Kind::Load, WEAK).access(W1, Kind::Load, WEAK);
    shared().gives(Outcome::NotModified).access(W1, Kind::Store, WEAK).finds(NotStrong);
    let of_blocks = place().access(W0, Kind::Load, WEAK).access(OTHER, Kind::Load, WEAK);
    of_blocks.access(OTHER, Kind::Store, WEAK).finds(NotStrong);
}

#[test]
fn table_3_c_a_barrier_orders_a_block() {
    let written = || place().access(W0, Kind::Store, WEAK).barrier(0);
    written().access(W1, Kind::Load, WEAK).finds(Barrier);
    written().access(W1, Kind::Store, WEAK).finds(Barrier);
    written().access(W1, Kind::Atomic(Device), VOLATILE).finds(Barrier);
    written().access(OTHER, Kind::Load, WEAK).finds(MissingDeviceFence);
    let other_barrier = place().access(W0, Kind::Store, WEAK).barrier(1);
    other_barrier.access(W1, Kind::Load, WEAK).finds(MissingBlockFence);
}

#[test]
fn table_3_c_does_not_hold_where_blocks_have_read() {
    let shared = || place().load(OTHER).load(W0).barrier(0);
    shared().store(W1).finds(MissingBlockFence);
    shared().load(W1).gives(Outcome::NotModified);
}

#[test]
fn a_barrier_begins_anew() {
    // All that several warps read afterwards, and what was weak before it, does not matter.
    let after = || place().access(W0, Kind::Store, WEAK).barrier(0).load(W1).finds(Barrier);
    after().load(W2).gives(Outcome::NotModified);
    after().fence(W1, Block).store(W2).gives(Outcome::Ordered);
    after().store(W1).finds(ProgramOrder);
    // What comes behind the readers needs another barrier.
    after().load(W2).store(W0).finds(MissingBlockFence);
    after().load(W2).barrier(0).store(W0).finds(Barrier);
}

#[test]
fn table_4_a_missing_block_fence() {
    place().store(W0).load(W1).finds(MissingBlockFence);
    place().store(W0).store(W1).finds(MissingBlockFence);
    place().load(W0).store(W1).finds(MissingBlockFence);
    place().load(W0).load(W1).gives(Outcome::NotModified);
    place().store(W0).fence(W0, Block).load(W1).gives(Outcome::Ordered);
    place().store(W0).fence(W0, Device).load(W1).gives(Outcome::Ordered);
    place().store(W0).fence(W1, Device).load(W1).finds(MissingBlockFence);
    place().fence(W0, Block).store(W0).load(W1).finds(MissingBlockFence);
}

#[test]
fn table_4_b_missing_device_fence() {
    let narrow = |only_block_fence| Outcome::Race { rule: MissingDeviceFence, only_block_fence };
    place().store(W0).load(OTHER).gives(narrow(false));
    place().store(W0).fence(W0, Block).load(OTHER).gives(narrow(true));
    place().store(W0).fence(W1, Block).load(OTHER).gives(narrow(false));
    place().store(W0).fence(W0, Device).load(OTHER).gives(Outcome::Ordered);
    place().load(W0).store(OTHER).finds(MissingDeviceFence);
    place().load(W0).fence(W0, Device).store(OTHER).gives(Outcome::Ordered);
    place().store(W0).barrier(0).load(OTHER).finds(MissingDeviceFence);
}

#[test]
fn table_4_c_not_strong() {
    let fenced = |first: How| place().access(W0, Kind::Store, first).fence(W0, Device);
    fenced(WEAK).load(W1).finds(NotStrong);
    fenced(VOLATILE).access(W1, Kind::Load, WEAK).finds(NotStrong);
    fenced(WEAK).store(OTHER).finds(NotStrong);
    fenced(VOLATILE).access(OTHER, Kind::Store, WEAK).finds(NotStrong);
    // All accesses since the first have to be strong, not only the last.
    fenced(WEAK).store(W0).fence(W0, Device).load(OTHER).finds(NotStrong);
    let read = place().access(W0, Kind::Load, WEAK).fence(W0, Device);
    read.access(OTHER, Kind::Load, WEAK).gives(Outcome::NotModified);
}

#[test]
fn table_4_d_scoped_atomic() {
    let of_block = || place().atomic(W0, Block);
    of_block().atomic(W1, Block).gives(Outcome::BothAtomic);
    of_block().atomic(OTHER, Block).finds(ScopedAtomic);
    of_block().atomic(OTHER, Device).finds(ScopedAtomic);
    of_block().load(OTHER).finds(ScopedAtomic);
    of_block().fence(W0, Device).store(OTHER).finds(ScopedAtomic);
    let of_device = || place().atomic(W0, Device);
    of_device().atomic(OTHER, Device).gives(Outcome::BothAtomic);
    // The narrow one comes second: only whoever comes third sees it.
    of_device()
        .atomic(OTHER, Block)
        .gives(Outcome::BothAtomic)
        .atomic(W0, Device)
        .finds(ScopedAtomic);
    of_device().load(OTHER).finds(MissingDeviceFence);
    of_device().fence(W0, Device).load(OTHER).gives(Outcome::Ordered);
}

#[test]
fn an_atomic_behind_a_load_or_store_counts_as_a_store() {
    place().store(W0).atomic(W1, Device).finds(MissingBlockFence);
    place().load(W0).atomic(OTHER, Device).finds(MissingDeviceFence);
    place().store(W0).fence(W0, Device).atomic(OTHER, Device).gives(Outcome::Ordered);
    place()
        .access(W0, Kind::Store, locked(1))
        .fence(W0, Device)
        .atomic(W1, Device)
        .finds(LockOnStore);
    // A store ends being atomic.
    let stored = place().atomic(W0, Device).store(W0).finds(ProgramOrder);
    stored.atomic(W1, Device).finds(MissingBlockFence);
}

#[test]
fn table_4_e_missing_common_lock_on_load() {
    let written = |locks: u16| place().access(W0, Kind::Store, locked(locks)).fence(W0, Device);
    written(1).access(W1, Kind::Load, locked(2)).finds(LockOnLoad);
    written(1).load(OTHER).finds(LockOnLoad);
    written(0).access(OTHER, Kind::Load, locked(2)).finds(LockOnLoad);
    written(1).access(OTHER, Kind::Load, locked(3)).gives(Outcome::Ordered);
    written(0).load(OTHER).gives(Outcome::Ordered);
    let read = place().access(W0, Kind::Load, locked(1));
    read.access(W1, Kind::Load, locked(2)).gives(Outcome::NotModified);
}

#[test]
fn table_4_f_missing_common_lock_on_store() {
    let read = |locks: u16| place().access(W0, Kind::Load, locked(locks)).fence(W0, Device);
    read(1).access(W1, Kind::Store, locked(2)).finds(LockOnStore);
    read(1).store(OTHER).finds(LockOnStore);
    read(3).access(OTHER, Kind::Store, locked(2)).gives(Outcome::Ordered);
    let written = place().access(W0, Kind::Store, locked(1)).fence(W0, Device);
    written.access(W1, Kind::Store, locked(4)).finds(LockOnStore);
}

#[test]
fn readers_and_writers_under_one_lock_go_on() {
    // Each takes the lock, reads, writes, and executes a fence before it gives the lock back.
    let mut at = place();
    for who in [W0, W1, OTHER, W0, THIRD] {
        at = at.access(who, Kind::Load, locked(1)).access(who, Kind::Store, locked(1));
        let outcome = at.checked.expect("an access").outcome;
        assert!(matches!(outcome, Outcome::RaceFree(_)), "{outcome:?}");
        at = at.fence(who, Device);
    }
}

#[test]
fn many_may_read_what_was_published() {
    let published = || place().store(W0).fence(W0, Device).load(OTHER).gives(Outcome::Ordered);
    published().load(THIRD).gives(Outcome::NotModified);
    published().load(W1).gives(Outcome::NotModified);
    // The block that read goes on by barriers.
    published().barrier(1).store((1, 1)).finds(Barrier);
    published().load(THIRD).barrier(2).store((2, 1)).finds(MissingBlockFence);
}

#[test]
fn a_writer_that_reads_back_does_not_hide_its_write() {
    place().store(W0).load(W0).load(OTHER).finds(MissingDeviceFence);
    place().store(W0).fence(W0, Block).load(W0).load(OTHER).finds(MissingDeviceFence);
    place().store(W0).fence(W0, Block).load(W0).load(W1).gives(Outcome::Ordered);
    place().store(W0).barrier(0).load(W0).load(W1).finds(Barrier);
    // Once it is published, the load is what counts.
    let published = || place().store(W0).fence(W0, Device).load(W0).finds(ProgramOrder);
    published().load(OTHER).gives(Outcome::NotModified);
    published().store(OTHER).finds(MissingDeviceFence);
    // That a read was weak counts in any case.
    let weak = place().store(W0).access(W0, Kind::Load, WEAK).fence(W0, Device);
    weak.load(OTHER).finds(NotStrong);
}

#[test]
fn the_three_flags_are_set_together_only_at_first() {
    let kinds = [Kind::Load, Kind::Store, Kind::Atomic(Block), Kind::Atomic(Device)];
    let warps = [W0, W1, OTHER];
    for number in 0..(12_u32.pow(4)) {
        let mut at = place();
        for step in 0..4 {
            let choice = (number / 12_u32.pow(step) % 12) as usize;
            at = at.access(warps[choice % 3], kinds[choice / 3], VOLATILE);
            assert!(!at.entry.expect("an access").is_initial());
        }
    }
}

fn lanes(mask: u32) -> How {
    How { lanes: Some(Lanes { mask, diverged: mask != u32::MAX }), ..WEAK }
}

#[test]
fn threads_of_a_warp_that_has_diverged_count() {
    let written = || place().access(W0, Kind::Store, lanes(0b01));
    written().access(W0, Kind::Load, lanes(0b01)).finds(ProgramOrder);
    written().access(W0, Kind::Load, lanes(0b10)).finds(MissingBlockFence);
    written().access(W0, Kind::Load, lanes(0b11)).finds(MissingBlockFence);
    written().access(W0, Kind::Load, lanes(u32::MAX)).finds(MissingBlockFence);
    written().meet().access(W0, Kind::Load, lanes(0b10)).finds(ProgramOrder);
    written().barrier(0).access(W0, Kind::Load, lanes(0b10)).finds(Barrier);
    let whole = || place().access(W0, Kind::Store, lanes(u32::MAX));
    whole().access(W0, Kind::Load, lanes(u32::MAX)).finds(ProgramOrder);
    whole().access(W0, Kind::Store, lanes(0b10)).finds(MissingBlockFence);
}

#[test]
fn rows_have_names_in_the_order_of_the_paper() {
    for (number, rule) in Rule::ALL.into_iter().enumerate() {
        assert_eq!(rule as usize, number);
        assert_eq!(rule.is_race(), rule.number().starts_with("table IV"));
        let short = rule.number().replace("table ", "").replace(' ', "");
        assert!(rule.name().starts_with(&format!("{short}: ")), "{}", rule.name());
    }
}
