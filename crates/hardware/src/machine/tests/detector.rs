//! What detection adds.

use super::*;

/// Warp 0 reads lines, and then the same lines again and again.
fn hits(rounds: u32) -> Workload {
    let mut story = Story::default();
    for _ in 0..=rounds {
        story = story.scattered((0, 0), AccessKind::Read, 0);
    }
    story.workload()
}

/// Warps of all multiprocessors stream over their own lines.
fn stream(lines: u64, kind: AccessKind) -> Workload {
    let mut story = Story::default();
    for line in 0..lines {
        let who: Who = ((line % 30) as u32, (line / 30 % 8) as u32);
        story = story.line(who, kind, Strength::Weak, line);
    }
    story.workload()
}

#[test]
fn hits_send_packets_only_with_detection() {
    let workload = hits(3);
    let none = simulate(&workload, &Configuration::default());
    let scord = simulate(&workload, &with(scord()));
    assert_eq!((none.packets.requests, none.packets.of_hits), (32, 0));
    assert_eq!((scord.packets.requests, scord.packets.of_hits), (32, 96));
}

#[test]
fn a_full_buffer_of_hits_stalls_unless_that_is_switched_off() {
    let workload = hits(3);
    let narrow = Configuration { hit_buffer: 2, ..with(scord()) };
    let stalled = simulate(&workload, &narrow);
    let off = Detection { lhd: false, ..scord() };
    let free = simulate(&workload, &narrow.detecting(off));
    assert!(stalled.stalls.hit_buffer > 0);
    assert_eq!(free.stalls.hit_buffer, 0);
    assert!(free.cycles < stalled.cycles);
    let wide = Configuration { hit_buffer: 1000, ..with(scord()) };
    assert_eq!(simulate(&workload, &wide).stalls.hit_buffer, 0);
}

#[test]
fn hits_that_find_room_do_not_wait_for_their_check() {
    let workload = Story::default().load((0, 0), 1).load((0, 0), 1).workload();
    let off = Detection { noc: false, md: false, ..scord() };
    let none = simulate(&workload, &Configuration::default());
    let detecting = simulate(&workload, &with(off));
    // Only the last packet is still under way when the warp has ended.
    assert!(detecting.cycles <= none.cycles + 20, "{} {}", detecting.cycles, none.cycles);
}

#[test]
fn information_takes_flits_unless_that_is_switched_off() {
    let workload = stream(600, AccessKind::Write);
    let [all, quiet] = [scord(), Detection { noc: false, ..scord() }]
        .map(|detection| simulate(&workload, &with(detection)).packets.flits_out);
    let none = simulate(&workload, &Configuration::default()).packets.flits_out;
    assert_eq!((quiet, all), (none, none + 600));
}

#[test]
fn metadata_is_twice_the_data_or_an_eighth() {
    let lines = 3200;
    let workload = stream(lines, AccessKind::Read);
    let reads =
        |metadata| simulate(&workload, &with(Detection::with(metadata))).dram.metadata_reads;
    assert_eq!(reads(Metadata::Full), 2 * lines);
    assert_eq!(reads(Metadata::Cached), lines / 8);
    let off = Detection { md: false, ..scord() };
    assert_eq!(simulate(&workload, &with(off)).dram.metadata(), 0);
}

#[test]
fn metadata_that_leaves_the_l2_is_written_back() {
    let workload = stream(3200, AccessKind::Read);
    let tiny = Configuration { l2_bytes: 12 * 1024, ..Configuration::default() };
    let outcome = simulate(&workload, &tiny.detecting(Detection::with(Metadata::Full)));
    assert_eq!(outcome.dram.data_writes, 0);
    let left = outcome.dram.metadata_reads - outcome.dram.metadata_writes;
    assert!(left <= 96, "all but what the L2 holds came back: {left}");
}

#[test]
fn a_detector_that_is_full_makes_packets_wait() {
    let workload = stream(3200, AccessKind::Read);
    let full = Detection::with(Metadata::Full);
    let narrow = Configuration { lookups_per_partition: 1, ..with(full) };
    let wide = Configuration { lookups_per_partition: 10_000, ..with(full) };
    let [narrow, wide] = [narrow, wide].map(|one| simulate(&workload, &one));
    assert!(narrow.stalls.packets_at_detector > 0 && narrow.cycles > wide.cycles);
    assert_eq!(wide.stalls.packets_at_detector, 0);
    let off = Detection { md: false, ..full };
    assert_eq!(simulate(&workload, &with(off)).stalls.packets_at_detector, 0);
}

#[test]
fn lookups_of_one_line_are_made_together() {
    let mut story = Story::default();
    for block in 0..15 {
        story = story.line((block, 0), AccessKind::Read, RELAXED, 1);
    }
    let outcome = simulate(&story.workload(), &with(scord()));
    assert_eq!((outcome.lookups_ended, outcome.dram.metadata_reads), (15, 1));
    assert_eq!(outcome.lookups_joined, 14, "all come before memory has answered the first");
}

#[test]
fn a_lookup_that_comes_later_asks_again() {
    let story = Story::default().load((0, 0), 1).line((0, 0), AccessKind::Read, RELAXED, 1);
    let outcome = simulate(&story.workload(), &with(scord()));
    assert_eq!((outcome.lookups_joined, outcome.l2_metadata.hits), (0, 1));
}

#[test]
fn fences_tell_the_fence_file() {
    let workload =
        Story::default().fence((0, 0), Scope::Cta).fence((0, 0), Scope::Gpu).load((0, 0), 1);
    let outcome = simulate(&workload.workload(), &with(scord()));
    assert_eq!(outcome.packets.of_fences, 2);
    assert_eq!(outcome.lookups_ended, 1, "only the load is looked up");
}

#[test]
fn with_all_costs_switched_off_nothing_is_added_to_requests() {
    let workload = stream(2000, AccessKind::Write);
    let off = Detection { metadata: Metadata::Cached, lhd: false, noc: false, md: false };
    let none = simulate(&workload, &Configuration::default());
    assert_eq!(simulate(&workload, &with(off)).cycles, none.cycles);
}

#[test]
fn slower_memory_takes_longer() {
    let workload = stream(6000, AccessKind::Read);
    let slow = DramTiming { burst: 16, ..DramTiming::default() };
    let slow = Configuration { dram: slow, ..Configuration::default() };
    let usual = simulate(&workload, &Configuration::default());
    assert!(simulate(&workload, &slow).cycles > usual.cycles);
}
