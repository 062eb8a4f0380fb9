//! Small stories: what threads of four blocks of 64 do, by the lines of a kernel.

mod barriers;
mod figures;
mod hand_overs;
mod same_as_figures;

use super::*;
use crate::last_access::story::{ALL, AT, Reports, Who, counted, reports_of};
use warpsan_event::testing::{Kernel, Lanes, MemoryOperand, RELAXED, Story, WEAK};
use warpsan_event::{AccessKind, LaneAddresses};
use warpsan_model::{BlockIndex, Order, Scope, SiteId, Space};
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

/// Threads that execute lines of some code.
struct Program {
    code: &'static [&'static str],
    story: Story,
}

impl Program {
    fn new(code: &'static [&'static str]) -> Program {
        Program { code, story: Story::of(Kernel::new(code)) }
    }

    fn then(self, more: impl FnOnce(Story) -> Story) -> Program {
        Program { story: more(self.story), ..self }
    }

    /// The code is launched again.
    fn launch(self) -> Program {
        self.then(|story| story.begin_launch(0))
    }

    /// It stands for a call of the host.
    fn host_call(self) -> Program {
        let kernel = Kernel::new(self.code).of_host();
        self.then(|story| story.begin_kernel(0, kernel))
    }

    fn push(self, event: Event<'_>) -> Program {
        self.then(|story| story.push(event))
    }

    /// Lanes execute a line of the code.
    fn at(self, who: Who, line: u32, address: u64) -> Program {
        self.with_values(who, line, address, &[])
    }

    fn with_values<'a>(
        self,
        who: Who,
        line: u32,
        at: impl Into<MemoryOperand<'a>>,
        values: &[u64],
    ) -> Program {
        let event = execute(self.code[line as usize], SiteId(line), who, at.into(), values);
        self.push(event)
    }

    fn barrier(self, participants: &[u64]) -> Program {
        self.then(|story| story.partial_barrier(0, 0, participants))
    }

    fn reports(self) -> (Reports, Vec<Statistic>) {
        reports_of(self.story, &mut Barracuda::new(Settings::default()))
    }

    fn expect_clean(self) {
        let (reports, _) = self.reports();
        assert!(reports.races.is_empty(), "{:?}", reports.races);
    }

    /// One race, whose reason has this, between the two lines.
    fn expect_one(self, kind: RaceKind, reason: &str, lines: (u32, u32)) -> Race {
        let code = self.code;
        let (mut reports, _) = self.reports();
        assert_eq!(reports.races.len(), 1, "{:?}", reports.races);
        let race = reports.races.remove(0);
        assert_eq!((race.kind, race.reason.contains(reason)), (kind, true), "{}", race.reason);
        let texts = (code[lines.0 as usize], code[lines.1 as usize]);
        assert_eq!((&*race.first.instruction, &*race.second.instruction), texts);
        race
    }
}

/// What lanes do that execute an instruction.
fn execute<'a>(
    text: &str,
    site: SiteId,
    who: impl Into<Lanes>,
    at: MemoryOperand<'a>,
    values: &'a [u64],
) -> Event<'a> {
    let who @ Lanes { block, warp, mask } = who.into();
    let (kind, strength) = match text.get(..3) {
        Some("mem") => {
            let scope = if text == CTA { Scope::Cta } else { Scope::Gpu };
            return Event::Fence { block, warp, mask, site, order: Order::AcqRel, scope };
        }
        Some("ld.") => (AccessKind::Read, WEAK),
        Some("st.") => (AccessKind::Write, WEAK),
        _ => (AccessKind::ReadModifyWrite, RELAXED),
    };
    let at = if text.contains(".shared") { at.shared() } else { at };
    Event::Access(Access { site, values, ..who.access(kind, strength, at) })
}

const PLAIN: &[&str] = &[STORE, "add.u32 %r1, %r1, 1;", LOAD, "bar.sync 0;", ADD];

#[test]
fn races_are_classified_by_where_the_threads_are() {
    let (inside, outside) = ("an intra-block race", "an inter-block race");
    let story = |who| Program::new(PLAIN).at(A, 0, AT).at(who, 2, AT);
    let race = story(OTHER_WARP).expect_one(RaceKind::MissingSync, inside, (0, 2));
    assert_eq!((race.first.thread.x, race.second.thread.x), (0, 32));
    let race = story(OTHER_BLOCK).expect_one(RaceKind::MissingSync, outside, (0, 2));
    assert_eq!((race.first.block.x, race.second.block.x), (0, 1));
    assert_eq!(race.location.address.0, AT);
    story(B).expect_one(RaceKind::Divergence, "different paths", (0, 2));
    story(A).expect_clean();
    Program::new(PLAIN).at(A, 2, AT).at(OTHER_BLOCK, 2, AT).expect_clean();
}

#[test]
fn a_store_is_compared_with_every_concurrent_reader() {
    let readers = Program::new(PLAIN).at(OTHER_BLOCK, 2, AT).at(A, 2, AT);
    let race = readers.at(A, 0, AT).expect_one(RaceKind::MissingSync, "inter-block", (2, 0));
    assert_eq!(race.first.block.x, 1);
}

#[test]
fn bytes_are_distinguished() {
    let bytes: &[&str] = &["st.global.u8 [%rd1], %r1;"];
    let byte = |story: Program, who: Who, address| {
        story.with_values(who, 0, MemoryOperand::global(address).bytes(1), &[])
    };
    byte(byte(Program::new(bytes), A, AT), OTHER_BLOCK, AT + 1).expect_clean();
    let same = byte(byte(Program::new(bytes), A, AT + 1), OTHER_BLOCK, AT + 1);
    let race = same.expect_one(RaceKind::MissingSync, "inter-block", (0, 0));
    assert_eq!(race.location.address.0, AT + 1);
}

#[test]
fn a_warp_executes_in_lockstep() {
    // All lanes execute an instruction in between, so that they have met.
    let meets = |story: Program| story.at(WARP, 2, AT + 64);
    meets(Program::new(PLAIN).at(A, 0, AT)).at(B, 2, AT).expect_clean();
    let together = Event::WarpBarrier { block: BlockIndex(0), warp: 0, mask: 0b11 };
    Program::new(PLAIN).at(A, 0, AT).push(together).at(B, 2, AT).expect_clean();
    let others = Event::WarpBarrier { block: BlockIndex(0), warp: 0, mask: 0b110 };
    let story = Program::new(PLAIN).at(A, 0, AT).push(others).at(B, 2, AT);
    story.expect_one(RaceKind::Divergence, "different paths", (0, 2));
}

#[test]
fn lanes_of_one_instruction_may_write_the_same_value() {
    let two = (0, 0, 0b101);
    let write = |values: &[u64]| Program::new(PLAIN).with_values(two, 0, AT, values);
    let (reports, statistics) = write(&[7, 7]).reports();
    assert_eq!((reports.races.len(), counted(&statistics, "lanes of one instruction")), (0, 1));
    let race = write(&[7, 8]).expect_one(RaceKind::Divergence, "lanes of one instruction", (0, 0));
    assert_eq!((race.first.thread.x, race.second.thread.x), (0, 2));
    write(&[]).expect_one(RaceKind::Divergence, "lanes of one instruction", (0, 0));
    // Neighbours that overlap by two bytes, and write the same there.
    let overlapping = |second: u64| {
        let addresses = [AT, AT + 2];
        let at = LaneAddresses::PerLane(&addresses);
        Program::new(PLAIN).with_values(two, 0, at, &[0x1122_3344, second])
    };
    overlapping(0x5566_1122).expect_clean();
    assert_eq!(overlapping(0x5566_1123).reports().0.races.len(), 1);
    // The same value of two instructions is a race.
    let story =
        Program::new(PLAIN).with_values(A, 0, AT, &[7]).with_values(OTHER_WARP, 0, AT, &[7]);
    story.expect_one(RaceKind::MissingSync, "intra-block", (0, 0));
}

#[test]
fn paths_of_a_branch_are_concurrent_until_lanes_meet() {
    let (low, high) = ((0, 0, 0xffff), (0, 0, 0xffff_0000));
    let story = |last| {
        let story = Program::new(PLAIN).at(WARP, 2, AT).at(low, 2, AT).at(A, 0, AT + 4);
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
fn branches_behind_each_other_are_ordered_where_the_first_ends() {
    let joined = |mask| Event::Reconvergence { block: BlockIndex(0), warp: 0, mask };
    let story = || Program::new(PLAIN).at(A, 0, AT);
    story().push(joined(u32::MAX)).at(B, 2, AT).expect_clean();
    story().at(B, 2, AT).expect_one(RaceKind::Divergence, "different paths", (0, 2));
    // What has joined inside of a path is not the other path.
    let inside = story().push(joined(0b101)).at((0, 0, 0b100), 2, AT);
    inside.at(B, 2, AT + 4).expect_clean();
    let other_path = story().push(joined(0b101)).at(B, 2, AT);
    other_path.expect_one(RaceKind::Divergence, "different paths", (0, 2));
    // It is no barrier of the block, and of no other warp.
    let other_warp = story().push(joined(u32::MAX)).at(OTHER_WARP, 2, AT);
    other_warp.expect_one(RaceKind::MissingSync, "intra-block", (0, 2));
}

#[test]
fn atomics_do_not_race_with_each_other_and_order_nothing() {
    Program::new(PLAIN).at(WARP, 4, AT).at(OTHER_BLOCK, 4, AT).expect_clean();
    let race =
        |story: Program, lines| story.expect_one(RaceKind::MissingSync, "inter-block", lines);
    race(Program::new(PLAIN).at(A, 0, AT).at(OTHER_BLOCK, 4, AT), (0, 4));
    race(Program::new(PLAIN).at(A, 4, AT).at(OTHER_BLOCK, 2, AT), (4, 2));
    race(Program::new(PLAIN).at(A, 2, AT).at(OTHER_BLOCK, 4, AT), (2, 4));
    let data = Program::new(PLAIN).at(A, 0, AT + 64).at(A, 4, AT).at(OTHER_BLOCK, 4, AT);
    race(data.at(OTHER_BLOCK, 2, AT + 64), (0, 2));
}

#[test]
fn shared_memory_is_of_its_block() {
    let code: &[&str] = &["st.shared.u32 [%r2], %r1;"];
    Program::new(code).at(A, 0, 64).at(OTHER_BLOCK, 0, 64).expect_clean();
    let race = Program::new(code).at(A, 0, 64).at(OTHER_WARP, 0, 64);
    let race = race.expect_one(RaceKind::MissingSync, "intra-block", (0, 0));
    assert_eq!((race.location.space, race.location.address.0), (Some(Space::Shared), 64));
    let again = Program::new(code).at(A, 0, 64).push(Event::BlockEnd { block: BlockIndex(0) });
    again.at(OTHER_WARP, 0, 64).expect_clean();
}

#[test]
fn a_race_is_reported_once_and_then_counted() {
    let mut story = Program::new(PLAIN);
    for _ in 0..3 {
        story = story.at(A, 0, AT).at(OTHER_BLOCK, 2, AT);
        story = story.at(A, 0, AT + 4).at(OTHER_BLOCK, 2, AT + 4);
    }
    let (reports, statistics) = story.reports();
    // From the second round on the store races with the load, too.
    assert_eq!((reports.races.len(), reports.again), (2, 8));
    assert_eq!(counted(&statistics, "accesses that race"), 10);
}

#[test]
fn every_launch_begins_with_nothing_and_calls_of_the_host_are_none() {
    Program::new(PLAIN).at(A, 0, AT).launch().at(OTHER_BLOCK, 2, AT).expect_clean();
    Program::new(PLAIN).host_call().at(A, 0, AT).at(OTHER_BLOCK, 2, AT).expect_clean();
}

#[test]
fn rules_and_formats_are_counted() {
    let low = (0, 0, 0xffff);
    let story = Program::new(PLAIN).at(WARP, 2, AT).at(low, 2, AT).at(A, 2, AT).at(WARP, 2, AT);
    let (_, statistics) = story.reports();
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
