//! Lanes that a device ran without reconvergence, and that reconverge where their paths do.

use super::*;
use warpsan_event::EventMask;
use warpsan_instrument::{DevicePlan, Shipping, Wanted, instrument};
use warpsan_ir::ModuleIndex;
use warpsan_ptx::Document;

const STORE: u32 = 0;
const LOAD: u32 = 1;
const BEHIND: u32 = 2;
const END: u32 = 3;
const ALL: u32 = u32::MAX;

/// A branch with a store, and a load and a store behind it.
const BRANCH: &str = "setp.ne.u32 %p1, %r1, 3; @%p1 bra JOIN; st.global.u32 [%rd1], %r1;
    JOIN: ld.global.u32 %r1, [%rd1]; st.global.u32 [%rd1+4], %r1;";
/// The same with a loop that lanes leave one after the other.
pub(super) const LOOP: &str =
    "LOOP: st.global.u32 [%rd1], %r1; setp.ne.u32 %p1, %r1, 3; @%p1 bra LOOP;
    ld.global.u32 %r1, [%rd1]; st.global.u32 [%rd1+4], %r1;";
/// Lanes go on where an atomic says so, which others may have to bring about.
const LOCK: &str =
    "LOCK: atom.global.cas.b32 %r1, [%rd1], 0, 1; setp.ne.u32 %p1, %r1, 0; @%p1 bra LOCK;
    st.global.u32 [%rd1+4], %r1; atom.global.exch.b32 %r1, [%rd1], 0;";

/// A launch of one warp of a kernel of this body.
pub(super) fn launch_of(body: &str) -> ShippedLaunch {
    let text = format!(
        ".version 9.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 k_0)\n{{\n\
         .reg .b32 %r<4>;\n.reg .b64 %rd<4>;\n.reg .pred %p<4>;\n\
         ld.param.u64 %rd1, [k_0];\nmov.u32 %r1, %tid.x;\n{body}\nret;\n}}\n"
    );
    let document = Document::parse(text);
    let (kernel, block, target) = ("k", [32, 1, 1], "sm_90");
    let wanted = Wanted {
        kernel,
        block,
        blocks_at_once: None,
        target,
        plan: DevicePlan::Ship(Shipping::Everything),
    };
    let made = instrument(&document, &ModuleIndex::of(&document), &wanted).expect("it can");
    let (infos, paths) = (Arc::from(made.infos), Arc::new(made.paths));
    ShippedLaunch { infos, paths, ..launch(1, 32) }
}

/// An access of lanes, each to an address of its own.
fn access(site: u32, mask: u32) -> Vec<Slot> {
    let mut one = slot(RecordKind::Access, (0, 0, mask), site);
    one.header.wrote = if site == LOAD { 0 } else { mask };
    for lane in lanes(mask) {
        one.lanes[lane as usize] = u64::from(site << 8 | lane << 2);
    }
    vec![one]
}

fn ends(mask: u32) -> Vec<Slot> {
    vec![slot(RecordKind::Exit, (0, 0, mask), END)]
}

/// Keeps who accessed what, as sites and lanes.
#[derive(Default)]
struct Lanes {
    reconverged: bool,
    emitted: Vec<(u32, u32)>,
}

impl EventSink for Lanes {
    fn interest(&self) -> EventMask {
        if self.reconverged { EventMask::ALL | EventMask::JOINED } else { EventMask::ALL }
    }

    fn batch(&mut self, batch: &Batch<'_>) {
        self.emitted.extend(batch.events().filter_map(|event| match event {
            Event::Access(access) => {
                // Addresses and who wrote came along with the lanes.
                if access.strength == Strength::Weak {
                    let address = |lane: u32| u64::from(access.site.0 << 8 | lane << 2);
                    assert!(access.lanes().all(|(lane, at)| at == address(lane)));
                    assert!([0, access.mask].contains(&access.wrote));
                }
                Some((access.site.0, access.mask))
            }
            _ => None,
        }));
    }
}

/// What is emitted of operations of one queue.
fn emitted(launch: &ShippedLaunch, operations: &[Vec<Slot>], reconverged: bool) -> Vec<(u32, u32)> {
    let mut lanes = Lanes { reconverged, ..Lanes::default() };
    let mut merger = Merger::new(launch, &[1 << 20], &mut lanes);
    for (index, slots) in (0..).zip(operations) {
        let operation = Operation::of_slots(slots).expect("slots of one operation");
        merger.accept(0, index, operation).expect("it is accepted");
    }
    assert_eq!(merger.finish(), Ok(operations.len() as u64));
    lanes.emitted
}

#[test]
fn lanes_behind_a_reconvergence_point_wait_for_those_in_front_of_it() {
    let launch = launch_of(BRANCH);
    let (third, others) = (1 << 3, !(1 << 3));
    let of_third = [access(STORE, third), access(LOAD, third), access(BEHIND, third)];
    let of_others = [access(LOAD, others), access(BEHIND, others)];
    let end = [ends(others), ends(third)];
    let first = [&of_third[..], &of_others[..], &end[..]].concat();
    let last = [&of_others[..], &of_third[..], &end[..]].concat();
    for operations in [first, last] {
        let together = [(STORE, third), (LOAD, ALL), (BEHIND, ALL)];
        assert_eq!(emitted(&launch, &operations, true), together);
        assert_eq!(emitted(&launch, &operations, false).len(), 5, "nobody asked for it");
    }
}

#[test]
fn lanes_that_leave_a_loop_wait_for_those_that_stay() {
    let launch = launch_of(LOOP);
    let (short, long) = (0x0F0F_0F0F, 0xF0F0_F0F0);
    let operations = [
        access(STORE, ALL),
        access(LOAD, short),
        access(STORE, long),
        access(BEHIND, short),
        access(STORE, long),
        access(LOAD, long),
        access(BEHIND, long),
        ends(ALL),
    ];
    let together = [(STORE, ALL), (STORE, long), (STORE, long), (LOAD, ALL), (BEHIND, ALL)];
    assert_eq!(emitted(&launch, &operations, true), together);
}

#[test]
fn lanes_that_have_ended_are_not_waited_for() {
    let launch = launch_of(BRANCH);
    let operations = [access(LOAD, 1), access(STORE, 2), ends(2), ends(!0b11), ends(1)];
    assert_eq!(emitted(&launch, &operations, true), [(STORE, 2), (LOAD, 1)]);
}

/// An atomic of lanes at one address, with their turns.
fn atomic(site: u32, mask: u32, turns: &[u64]) -> Vec<Slot> {
    let mut slots = strong((0, 0, mask), 0x40, turns);
    slots.iter_mut().for_each(|slot| slot.header.site = site);
    slots
}

#[test]
fn lanes_that_wait_for_each_other_are_not_waited_for() {
    // The second lane gets the lock when the first has given it back, which is behind a store that both come to.
    let (cas, store, exch) = (0, 1, 2);
    let launch = launch_of(LOCK);
    let store = |mask: u32| access(store, mask);
    let operations = [
        ends(!0b11),
        atomic(cas, 0b11, &[1, 2]),
        store(1),
        atomic(exch, 1, &[3]),
        ends(1),
        atomic(cas, 2, &[4]),
        store(2),
        atomic(exch, 2, &[5]),
        ends(2),
    ];
    let emitted = emitted(&launch, &operations, true);
    assert_eq!(emitted, [(0, 3), (1, 1), (2, 1), (0, 2), (1, 2), (2, 2)]);
}

#[test]
fn lanes_that_never_come_end_reconvergence() {
    let launch = launch_of(BRANCH);
    let mut lanes = Lanes { reconverged: true, ..Lanes::default() };
    let mut merger = Merger::new(&launch, &[1 << 20], &mut lanes);
    let first = Operation::of_slots(&access(LOAD, 1)).expect("an operation");
    merger.accept(0, 0, first).expect("it is accepted");
    assert_eq!(merger.done(), 0);
    assert_eq!(merger.stop_reconverging(), Ok(true));
    assert_eq!(merger.done(), 1);
    let next = Operation::of_slots(&access(BEHIND, 1)).expect("an operation");
    merger.accept(0, 1, next).expect("it is accepted");
    assert_eq!(
        (merger.done(), merger.stop_reconverging()),
        (2, Ok(false)),
        "the warp never reconverges again"
    );
}

#[test]
fn lanes_that_begin_to_wait_in_the_end_are_not_kept_waiting() {
    // The second lane of either block never comes to its store. The second block has its turns when the first has given the
    // lock back, and only then waits for that lane.
    let launch = ShippedLaunch { geometry: launch(2, 32).geometry, ..launch_of(LOCK) };
    let of_block = |block: u32, mut slots: Vec<Slot>| {
        slots.iter_mut().for_each(|slot| slot.header.block = block);
        Operation::of_slots(&slots).expect("an operation")
    };
    let mut lanes = Lanes { reconverged: true, ..Lanes::default() };
    let mut merger = Merger::new(&launch, &[1 << 20], &mut lanes);
    let steps = |turn: u64| {
        let cas = atomic(0, 0b11, &[turn, turn + 1]);
        [ends(!0b11), cas, access(1, 1), atomic(2, 1, &[turn + 2])]
    };
    let both = [(0, steps(1)), (1, steps(4))];
    let all = both.into_iter().flat_map(|(block, steps)| steps.map(|slots| of_block(block, slots)));
    for (index, operation) in (0..).zip(all) {
        merger.accept(0, index, operation).expect("it is accepted");
    }
    let missing = ShippingError::BlocksMissing { missing: 2, blocks: 2, first: 0 };
    assert_eq!(merger.finish(), Err(missing), "nothing waits for anything");
    assert_eq!(lanes.emitted, [(0, 3), (1, 1), (2, 1), (0, 3), (1, 1), (2, 1)]);
}
