use super::*;
use crate::testing::{Kernel, Lanes, MemoryOperand, RELAXED, Story, WEAK};
use warpsan_model::{DeviceAddress, SourceFrame, SourcePosition};

fn narrator() -> Narrator {
    let position = SourcePosition { file: "sum.cu".into(), line: 7, column: 0 };
    let frame = SourceFrame { function: "sum".into(), position: Some(position) };
    let mut kernel = Kernel::new(&["st.shared.u32 [%r1], %r2;", "bar.arrive 1, 64;"]).on(2, 64);
    let sites = &mut Arc::make_mut(&mut kernel.sites).sites;
    (sites[0].ptx_line, sites[0].frames, sites[1].ptx_line) = (31, vec![frame], 33);
    let facts = KernelFacts { display_name: "sum(int*)".to_string(), ..KernelFacts::default() };
    let story = Story::default().begin_kernel(3, kernel.facts(facts));
    let event = story.batch().event(0).unwrap();
    let mut narrator = Narrator::new();
    narrator.follow(&event);
    let line = narrator.describe(&event).to_string();
    assert_eq!(line, "launch 3 begins: sum(int*) grid (2, 1, 1) block (64, 1, 1)");
    narrator
}

fn write<'a>(addresses: LaneAddresses<'a>, values: &'a [u64]) -> Access<'a> {
    let at = MemoryOperand::from(addresses).shared();
    let access = Lanes::from((1, 0, 7)).access(AccessKind::Write, WEAK, at);
    Access { site: SiteId(0), values, ..access }
}

#[test]
fn accesses_are_described_with_place_and_short_addresses() {
    let narrator = narrator();
    let line = |access: Access<'_>| narrator.describe(&Event::Access(access)).to_string();
    let place = "@ sum.cu:7 `st.shared.u32 [%r1], %r2;`";
    let strided = LaneAddresses::Strided { first: 64, stride: 4 };
    let start = "launch 3 block 1 warp 0 00000007 write shared weak";
    assert_eq!(
        line(write(strided, &[5, 5, 9])),
        format!("{start} 1x4 at 0x40+4*lane values [0x5*2 0x9] {place}")
    );
    let back = LaneAddresses::Strided { first: 64, stride: 4u64.wrapping_neg() };
    assert_eq!(line(write(back, &[])), format!("{start} 1x4 at 0x40-4*lane {place}"));
    assert_eq!(
        line(write(LaneAddresses::PerLane(&[0, 8, 12]), &[])),
        format!("{start} 1x4 at [0x0 0x8 0xc] {place}")
    );
    let mut atomic = write(LaneAddresses::Uniform(16), &[]);
    (atomic.kind, atomic.wrote, atomic.owner) = (AccessKind::ReadModifyWrite, 1, BlockIndex(0));
    atomic.strength = RELAXED;
    assert_eq!(
        line(atomic),
        format!(
            "launch 3 block 1 warp 0 00000007 atomic shared relaxed.device of block 0 \
             wrote 00000001 1x4 at 0x10 {place}"
        )
    );
}

#[test]
fn barriers_and_structure_are_described() {
    let narrator = narrator();
    let line = |event: Event<'_>| narrator.describe(&event).to_string();
    let block = BlockIndex(0);
    assert_eq!(
        line(Event::BlockBarrier { block, barrier: 1, participants: &[0xFF, 0x1_0000_0000, 0] }),
        "launch 3 block 0 barrier 1 complete 0:000000ff 1:00000000+00000001"
    );
    assert_eq!(
        line(Event::BlockArrive { block, warp: 1, mask: 1, site: SiteId(1), barrier: 1 }),
        "launch 3 block 0 warp 1 00000001 arrives at barrier 1 @ PTX line 33 `bar.arrive 1, 64;`"
    );
    assert_eq!(
        line(Event::Allocation { address: DeviceAddress(256), bytes: 8, label: "out" }),
        "launch 3 allocation 0x100 of 8 bytes: out"
    );
    let after = [LaunchId(1), LaunchId(3)];
    fn order<'a>(
        after: &'a [LaunchId],
        after_wait: &'a [LaunchId],
        perhaps_after: &'a [LaunchId],
    ) -> Event<'a> {
        Event::LaunchOrder { launch: LaunchId(5), after, after_wait, perhaps_after, open: &[] }
    }
    assert_eq!(line(order(&after, &[], &[])), "launch 3, then launch 5 after 1, 3");
    assert_eq!(line(order(&[], &[], &[])), "launch 3, then launch 5 after nothing");
    assert_eq!(
        line(order(&after, &[LaunchId(4)], &[LaunchId(2)])),
        "launch 3, then launch 5 after 1, 3, after a wait 4, perhaps after 2"
    );
    assert_eq!(
        line(Event::Reconvergence { block, warp: 1, mask: 3 }),
        "launch 3 block 0 warp 1 00000003 reconverge"
    );
    assert_eq!(
        line(Event::PrerequisiteWait { block, warp: 1, mask: 1, site: SiteId(1) }),
        "launch 3 block 0 warp 1 00000001 waited for earlier launches @ PTX line 33 `bar.arrive 1, 64;`"
    );
    assert_eq!(
        line(Event::Fence {
            block,
            warp: 0,
            mask: 1,
            site: SiteId(77),
            order: Order::SeqCst,
            scope: warpsan_model::Scope::Sys,
        }),
        "launch 3 block 0 warp 0 00000001 fence sc system scope @ site 77",
        "a site that is not there is no panic"
    );
    assert_eq!(
        Narrator::new().describe(&Event::Free { address: DeviceAddress(1) }).to_string(),
        "launch - free 0x1"
    );
}
