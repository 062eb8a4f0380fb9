//! What the options change.

use super::*;
use warpsan_report::Treatment;

/// Memory of 1 MiB: every 64 KiB share the entries of the cache.
const MEMORY: (u64, u64) = (1 << 20, 1 << 20);
const ALIAS: u64 = MEMORY.1 / 16;

fn with(story: Story, change: impl FnOnce(&mut ScordSettings)) -> Story {
    let mut story = story;
    change(&mut story.settings.scord);
    story
}

fn in_memory() -> Story {
    let (address, bytes) = (DeviceAddress(MEMORY.0), MEMORY.1);
    Story::new().push(Event::Allocation { address, bytes, label: "data" }).launch(1)
}

fn write_at(story: Story, who: Who, address: u64) -> Story {
    story.access(who, AccessKind::Write, VOLATILE, LaneAddresses::Uniform(address))
}

#[test]
fn the_cache_loses_what_another_address_overwrites_and_says_so() {
    let at = MEMORY.0 + 0x40;
    let story = |between: u64| {
        let story = write_at(write_at(in_memory(), W0, at), W1, between);
        with(write_at(story, OTHER, at), |scord| scord.cache = true)
    };
    let reports = |between: u64| {
        let story = story(between);
        let mut detector = Scord::new(story.settings);
        let (reports, statistics) = story.reports_by(&mut detector);
        let evicted = [at, between].map(|address| detector.was_evicted(DeviceAddress(address)));
        let counts = ["cache hits", "cache misses", "cache entries evicted by an alias"];
        (reports.races.len(), evicted, counts.map(|name| counted(&statistics, name)))
    };
    assert_eq!(reports(at + ALIAS), (0, [true, true], [0, 1, 2]));
    assert_eq!(reports(at + ALIAS + 4), (1, [false, false], [1, 2, 0]), "a neighbour");
    assert_eq!(reports(at + ALIAS * 15), (0, [true, true], [0, 1, 2]), "the last tag");
    assert_eq!(reports(MEMORY.0 * 2 + 0x40), (1, [false, false], [1, 2, 0]), "no allocation");
    let without = with(story(at + ALIAS), |scord| scord.cache = false);
    without.expect_one(Rule::MissingDeviceFence, RaceKind::MissingFence, (1, 3));
}

#[test]
fn every_launch_begins_with_an_empty_cache() {
    let story = write_at(in_memory(), W0, MEMORY.0).launch(2);
    let story = with(write_at(story, OTHER, MEMORY.0 + ALIAS), |scord| scord.cache = true);
    let (reports, statistics) = story.reports();
    let evictions = counted(&statistics, "cache entries evicted");
    assert_eq!((reports.races.len(), evictions, counted(&statistics, "III(a)")), (0, 0, 2));
}

#[test]
fn neighbours_are_reported_at_a_coarser_granularity() {
    // Four warps write four words side by side.
    let warps: [Who; 4] = [(0, 0, 1), (0, 1, 1), (1, 0, 1), (1, 1, 1)];
    let races = |bytes: u8| {
        let writes = warps.iter().zip(0..);
        let story =
            writes.fold(Story::new(), |story, (who, word)| write_at(story, *who, AT + 4 * word));
        with(story, |scord| scord.granularity = bytes.try_into().expect("a choice")).faults()
    };
    assert_eq!([4, 8, 16].map(|bytes| races(bytes).len()), [0, 2, 3]);
    let lines = |bytes: u8| -> Vec<(u32, u32)> {
        races(bytes).iter().map(|(_, _, first, second)| (*first, *second)).collect()
    };
    assert_eq!(lines(8), [(1, 2), (3, 4)]);
    assert_eq!(lines(16), [(1, 2), (2, 3), (3, 4)]);
}

#[test]
fn threads_of_a_warp_count_where_asked() {
    let its = |story: Story| with(story, |scord| scord.its = true);
    let (lane_0, lane_1, whole): (Who, Who, Who) = ((0, 0, 1), (0, 0, 2), (0, 0, u32::MAX));
    let written = || Story::new().store(lane_0);
    let racy = (Rule::MissingBlockFence, RaceKind::WarpSync, (1, 2));
    its(written().load(lane_1)).expect_one(racy.0, racy.1, racy.2);
    written().load(lane_1).expect_clean();
    its(written().load(whole)).expect_one(racy.0, racy.1, racy.2);
    its(written().load(lane_0)).expect_clean();
    let mut allowed = its(written().load(lane_1));
    allowed.settings.warp_sync = Treatment::Allow;
    let (reports, statistics) = allowed.reports();
    assert_eq!((reports.races.len(), counted(&statistics, "IV(a)")), (0, 1));
    let met = Event::WarpBarrier { block: BlockIndex(0), warp: 0, mask: u32::MAX };
    its(written().push(met).load(lane_1)).expect_clean();
    its(written().barrier(0, &[ALL, ALL]).load(lane_1)).expect_clean();
    its(Story::new().store(whole).load(whole)).expect_clean();
    // Lanes that have ended do not make a warp diverged.
    let ends = Event::LanesEnd { block: BlockIndex(0), warp: 0, mask: !0xff };
    its(Story::new().push(ends).store((0, 0, 0xff)).load((0, 0, 0xff))).expect_clean();
    // Other warps are as before.
    its(Story::new().write(lane_0).read(W1)).expect_one(
        Rule::MissingBlockFence,
        RaceKind::MissingFence,
        (1, 2),
    );
}

#[test]
fn barriers_have_seven_bits_where_threads_count() {
    let after = |barriers: u32| {
        let mut story = Story::new().store(W0);
        for _ in 0..barriers {
            story = story.barrier(0, &[ALL, ALL]);
        }
        story.load(W1)
    };
    let its = |story: Story| with(story, |scord| scord.its = true).faults().len();
    assert_eq!([after(127), after(128)].map(its), [0, 1]);
    assert_eq!([after(128), after(256)].map(|story| story.faults().len()), [0, 1]);
}

#[test]
fn narrow_block_numbers_take_blocks_for_one_and_count_it() {
    let story = |ids: BlockIds| {
        let (first, second): (Who, Who) = ((0, 0, 1), (256, 0, 1));
        let (reports, statistics) =
            with(Story::new().write(first).read(second), |scord| scord.block_ids = ids).reports();
        (reports.races.len(), counted(&statistics, "accesses for which another block"))
    };
    assert_eq!(story(BlockIds::Wide), (1, 0));
    assert_eq!(story(BlockIds::Paper), (0, 1));
    let near = with(Story::new().write((1, 0, 1)).read((255, 0, 1)), |scord| {
        scord.block_ids = BlockIds::Paper;
    });
    assert_eq!(near.faults().len(), 1);
}

#[test]
fn there_is_a_counter_for_each_row() {
    let (_, statistics) = Story::new().reports();
    for rule in Rule::ALL {
        assert_eq!(counted(&statistics, rule.name()), 0);
    }
}
