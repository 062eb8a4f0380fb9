//! Small stories: what threads of four blocks of 64 do, by the lines of a kernel.

mod barriers;
mod figures;
mod hand_overs;
mod same_as_figures;

use super::*;
use crate::last_access::story::{ALL, AT, Story, Told, Who, counted};
use warpsan_event::{AccessKind, LaneAddresses, Site};
use warpsan_model::{BlockIndex, Dim3, Order, Scope, SiteId, Space, Strength};
use warpsan_report::{Race, RaceKind};

const STORE: &str = "st.global.u32 [%rd1], %r1;";
const LOAD: &str = "ld.global.u32 %r1, [%rd1];";
const ADD: &str = "atom.global.add.u32 %r1, [%rd1], 1;";
const GL: &str = "membar.gl;";
const CTA: &str = "membar.cta;";

/// Lanes 0 and 1 of the first warp, one of the second warp, and one of another block.
const A: Who = (0, 0, 1);
const B: Who = (0, 0, 2);
const WARP: Who = (0, 0, u32::MAX);
const OTHER_WARP: Who = (0, 1, 1);
const OTHER_BLOCK: Who = (1, 0, 1);

struct Kernel {
    code: &'static [&'static str],
    story: Story,
}

impl Kernel {
    fn new(code: &'static [&'static str]) -> Kernel {
        Kernel { code, story: Story::new() }.launch(1)
    }

    fn launch(self, ptx_line: u32) -> Kernel {
        let site = |text: &&str| Site { instruction: (*text).into(), ptx_line, frames: Vec::new() };
        let sites = Arc::new(SiteTable { sites: self.code.iter().map(site).collect() });
        self.push(Event::LaunchBegin {
            launch: LaunchId(0),
            facts: &Arc::default(),
            sites: &sites,
            geometry: Geometry { grid: Dim3::new(4, 1, 1), block: Dim3::new(64, 1, 1) },
        })
    }

    fn push(self, event: Event<'_>) -> Kernel {
        Kernel { story: self.story.push(event), ..self }
    }

    /// Lanes execute a line of the code.
    fn at(self, who: Who, line: u32, address: u64) -> Kernel {
        self.with_values(who, line, LaneAddresses::Uniform(address), &[])
    }

    fn with_values(
        self,
        (block, warp, mask): Who,
        line: u32,
        addresses: LaneAddresses<'_>,
        values: &[u64],
    ) -> Kernel {
        let text = self.code[line as usize];
        let (block, site) = (BlockIndex(block), SiteId(line));
        let relaxed = Strength::Strong { order: Order::Relaxed, scope: Scope::Gpu };
        let (kind, strength) = match text.get(..3) {
            Some("mem") => {
                let (order, scope) = (Order::AcqRel, Scope::Gpu);
                return self.push(Event::Fence { block, warp, mask, site, order, scope });
            }
            Some("ld.") => (AccessKind::Read, Strength::Weak),
            Some("st.") => (AccessKind::Write, Strength::Weak),
            _ => (AccessKind::ReadModifyWrite, relaxed),
        };
        let space = if text.contains(".shared") { Space::Shared } else { Space::Global };
        self.push(Event::Access(Access {
            block,
            warp,
            site,
            mask,
            wrote: mask,
            space,
            owner: block,
            kind,
            strength,
            bytes: 4,
            elements: 1,
            addresses,
            values,
            versions: &[],
            read_only_path: false,
        }))
    }

    fn barrier(self, participants: &[u64]) -> Kernel {
        Kernel { story: self.story.barrier(0, participants), ..self }
    }

    fn told(self) -> (Told, Vec<Statistic>) {
        self.story.told_by(&mut Barracuda::new(Settings::default()))
    }

    fn expect_clean(self) {
        let (told, _) = self.told();
        assert!(told.races.is_empty(), "{:?}", told.races);
    }

    /// One race, whose reason has this, between the two lines.
    fn expect_one(self, kind: RaceKind, reason: &str, lines: (u32, u32)) -> Race {
        let code = self.code;
        let (mut told, _) = self.told();
        assert_eq!(told.races.len(), 1, "{:?}", told.races);
        let race = told.races.remove(0);
        assert_eq!((race.kind, race.reason.contains(reason)), (kind, true), "{}", race.reason);
        let texts = (code[lines.0 as usize], code[lines.1 as usize]);
        assert_eq!((&*race.first.instruction, &*race.second.instruction), texts);
        race
    }
}

const PLAIN: &[&str] = &[STORE, "add.u32 %r1, %r1, 1;", LOAD, "bar.sync 0;", ADD];

#[test]
fn races_are_classified_by_where_the_threads_are() {
    let (inside, outside) = ("an intra-block race", "an inter-block race");
    let story = |who| Kernel::new(PLAIN).at(A, 0, AT).at(who, 2, AT);
    let race = story(OTHER_WARP).expect_one(RaceKind::MissingSync, inside, (0, 2));
    assert_eq!((race.first.thread.x, race.second.thread.x), (0, 32));
    let race = story(OTHER_BLOCK).expect_one(RaceKind::MissingSync, outside, (0, 2));
    assert_eq!((race.first.block.x, race.second.block.x), (0, 1));
    assert_eq!(race.location.address.0, AT);
    story(B).expect_one(RaceKind::Divergence, "different paths", (0, 2));
    story(A).expect_clean();
    Kernel::new(PLAIN).at(A, 2, AT).at(OTHER_BLOCK, 2, AT).expect_clean();
}

#[test]
fn a_store_is_compared_with_every_concurrent_reader() {
    let readers = Kernel::new(PLAIN).at(OTHER_BLOCK, 2, AT).at(A, 2, AT);
    let race = readers.at(A, 0, AT).expect_one(RaceKind::MissingSync, "inter-block", (2, 0));
    assert_eq!(race.first.block.x, 1);
}

#[test]
fn bytes_are_told_apart() {
    let bytes: &[&str] = &["st.global.u8 [%rd1], %r1;"];
    let byte = |story: Kernel, who: Who, address| {
        let (block, warp, mask) = who;
        story.push(Event::Access(Access {
            block: BlockIndex(block),
            warp,
            site: SiteId(0),
            mask,
            wrote: mask,
            space: Space::Global,
            owner: BlockIndex(block),
            kind: AccessKind::Write,
            strength: Strength::Weak,
            bytes: 1,
            elements: 1,
            addresses: LaneAddresses::Uniform(address),
            values: &[],
            versions: &[],
            read_only_path: false,
        }))
    };
    byte(byte(Kernel::new(bytes), A, AT), OTHER_BLOCK, AT + 1).expect_clean();
    let same = byte(byte(Kernel::new(bytes), A, AT + 1), OTHER_BLOCK, AT + 1);
    let race = same.expect_one(RaceKind::MissingSync, "inter-block", (0, 0));
    assert_eq!(race.location.address.0, AT + 1);
}

#[test]
fn a_warp_executes_in_lockstep() {
    // All lanes execute an instruction in between, so that they have met.
    let meets = |story: Kernel| story.at(WARP, 2, AT + 64);
    meets(Kernel::new(PLAIN).at(A, 0, AT)).at(B, 2, AT).expect_clean();
    let together = Event::WarpBarrier { block: BlockIndex(0), warp: 0, mask: 0b11 };
    Kernel::new(PLAIN).at(A, 0, AT).push(together).at(B, 2, AT).expect_clean();
    let others = Event::WarpBarrier { block: BlockIndex(0), warp: 0, mask: 0b110 };
    let story = Kernel::new(PLAIN).at(A, 0, AT).push(others).at(B, 2, AT);
    story.expect_one(RaceKind::Divergence, "different paths", (0, 2));
}

#[test]
fn lanes_of_one_instruction_may_write_the_same_value() {
    let two = (0, 0, 0b101);
    let write = |values: &[u64]| {
        let at = LaneAddresses::Uniform(AT);
        Kernel::new(PLAIN).with_values(two, 0, at, values)
    };
    let (told, statistics) = write(&[7, 7]).told();
    assert_eq!((told.races.len(), counted(&statistics, "lanes of one instruction")), (0, 1));
    let race = write(&[7, 8]).expect_one(RaceKind::Divergence, "lanes of one instruction", (0, 0));
    assert_eq!((race.first.thread.x, race.second.thread.x), (0, 2));
    write(&[]).expect_one(RaceKind::Divergence, "lanes of one instruction", (0, 0));
    // Neighbours that overlap by two bytes, and write the same there.
    let overlapping = |second: u64| {
        let addresses = [AT, AT + 2];
        let at = LaneAddresses::PerLane(&addresses);
        Kernel::new(PLAIN).with_values(two, 0, at, &[0x1122_3344, second])
    };
    overlapping(0x5566_1122).expect_clean();
    assert_eq!(overlapping(0x5566_1123).told().0.races.len(), 1);
    // The same value of two instructions is a race.
    let one = LaneAddresses::Uniform(AT);
    let story =
        Kernel::new(PLAIN).with_values(A, 0, one, &[7]).with_values(OTHER_WARP, 0, one, &[7]);
    story.expect_one(RaceKind::MissingSync, "intra-block", (0, 0));
}

#[test]
fn paths_of_a_branch_are_concurrent_until_lanes_meet() {
    let (low, high) = ((0, 0, 0xffff), (0, 0, 0xffff_0000));
    let story = |last| {
        let story = Kernel::new(PLAIN).at(WARP, 2, AT).at(low, 2, AT).at(A, 0, AT + 4);
        story.at(last, 2, AT + 4)
    };
    story(low).expect_clean();
    story(high).expect_one(RaceKind::Divergence, "different paths", (0, 2));
    let met_in_the_low_path = story(low);
    met_in_the_low_path.at(high, 2, AT + 4).expect_one(
        RaceKind::Divergence,
        "different paths",
        (0, 2),
    );
    story(WARP).at(high, 2, AT + 4).expect_clean();
}

#[test]
fn atomics_do_not_race_with_each_other_and_order_nothing() {
    Kernel::new(PLAIN).at(WARP, 4, AT).at(OTHER_BLOCK, 4, AT).expect_clean();
    let race = |story: Kernel, lines| story.expect_one(RaceKind::MissingSync, "inter-block", lines);
    race(Kernel::new(PLAIN).at(A, 0, AT).at(OTHER_BLOCK, 4, AT), (0, 4));
    race(Kernel::new(PLAIN).at(A, 4, AT).at(OTHER_BLOCK, 2, AT), (4, 2));
    race(Kernel::new(PLAIN).at(A, 2, AT).at(OTHER_BLOCK, 4, AT), (2, 4));
    let data = Kernel::new(PLAIN).at(A, 0, AT + 64).at(A, 4, AT).at(OTHER_BLOCK, 4, AT);
    race(data.at(OTHER_BLOCK, 2, AT + 64), (0, 2));
}

#[test]
fn shared_memory_is_of_its_block() {
    let code: &[&str] = &["st.shared.u32 [%r2], %r1;"];
    Kernel::new(code).at(A, 0, 64).at(OTHER_BLOCK, 0, 64).expect_clean();
    let race = Kernel::new(code).at(A, 0, 64).at(OTHER_WARP, 0, 64);
    let race = race.expect_one(RaceKind::MissingSync, "intra-block", (0, 0));
    assert_eq!((race.location.space, race.location.address.0), (Space::Shared, 64));
    let again = Kernel::new(code).at(A, 0, 64).push(Event::BlockEnd { block: BlockIndex(0) });
    again.at(OTHER_WARP, 0, 64).expect_clean();
}

#[test]
fn a_race_is_told_once_and_then_counted() {
    let mut story = Kernel::new(PLAIN);
    for _ in 0..3 {
        story = story.at(A, 0, AT).at(OTHER_BLOCK, 2, AT);
        story = story.at(A, 0, AT + 4).at(OTHER_BLOCK, 2, AT + 4);
    }
    let (told, statistics) = story.told();
    // From the second round on the store races with the load, too.
    assert_eq!((told.races.len(), told.again), (2, 8));
    assert_eq!(counted(&statistics, "accesses that race"), 10);
}

#[test]
fn every_launch_begins_with_nothing_and_calls_of_the_host_are_none() {
    Kernel::new(PLAIN).at(A, 0, AT).launch(1).at(OTHER_BLOCK, 2, AT).expect_clean();
    Kernel::new(PLAIN).launch(0).at(A, 0, AT).at(OTHER_BLOCK, 2, AT).expect_clean();
}

#[test]
fn rules_and_formats_are_counted() {
    let low = (0, 0, 0xffff);
    let story = Kernel::new(PLAIN).at(WARP, 2, AT).at(low, 2, AT).at(A, 2, AT).at(WARP, 2, AT);
    let (_, statistics) = story.told();
    let count = |name| counted(&statistics, name);
    assert_eq!((count("IF"), count("ELSEENDIF"), count("ENDINSN")), (2, 1, 4));
    assert_eq!((count("READEXCL"), count("READINFLATE"), count("READSHARED")), (1, 1, 79));
    assert_eq!(count("instructions with clocks in format CONVERGED"), 2);
    assert_eq!(count("instructions with clocks in format DIVERGED"), 1);
    assert_eq!(count("instructions with clocks in format NESTEDDIVERGED"), 1);
    assert!(count("shadow bytes (peak)") > 0);
}

#[test]
fn what_the_thesis_does_not_know_is_said_to_be_not_covered() {
    let barracuda = Barracuda::new(Settings::default());
    assert_eq!(barracuda.not_covered(&KernelFacts::default()), None);
    let facts = KernelFacts { uses_mbarriers: true, uses_cluster: true, ..KernelFacts::default() };
    let said = barracuda.not_covered(&facts);
    assert_eq!(
        said.as_deref(),
        Some("the detector barracuda does not follow mbarrier objects and clusters")
    );
    let facts = KernelFacts { uses_async_copies: true, ..KernelFacts::default() };
    assert!(barracuda.not_covered(&facts).is_some());
}
