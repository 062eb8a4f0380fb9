//! What does not fit together is an error, and never a hang.

use super::super::{FinalCounts, LaunchEnd, LaunchWatch, Reader, ShippingOptions, Writer, ship};
use super::*;
use std::time::Duration;
use warpsan_event::EventMask;

const ALL: u32 = u32::MAX;

fn error_of(operations: &[Vec<Slot>]) -> String {
    let (events, result) = merged(&launch(1, 64), operations);
    assert_eq!(events.last().map(String::as_str), Some("end"), "the launch's end is emitted");
    result.expect_err("not everything fits together").to_string()
}

#[test]
fn a_turn_that_nobody_took_is_named() {
    let error = error_of(&[strong((0, 0, 1), 0x40, &[2]), exit((0, 0, ALL)), exit((0, 1, ALL))]);
    assert!(error.starts_with("2 operations wait"), "{error}");
    assert!(error.contains("lane 0 has turn 2, and 0 were taken"), "{error}");
    assert!(error.contains("Access of block 0, warp 0"), "{error}");
}

#[test]
fn a_turn_that_two_took_is_refused() {
    let error = error_of(&[strong((0, 0, 1), 0x40, &[1]), strong((0, 1, 1), 0x40, &[1])]);
    assert!(error.contains("turn 1 of lane 0 was taken already"), "{error}");
}

#[test]
fn a_barrier_that_is_never_complete_is_named() {
    let operations = [arrive((0, 0, ALL)), exit((0, 0, ALL))];
    let error = error_of(&operations);
    assert!(error.contains("lanes 0xffffffff are at a barrier"), "{error}");
}

#[test]
fn blocks_without_an_end_are_counted() {
    let error = error_of(&[exit((0, 0, ALL))]);
    assert!(error.starts_with("1 of 1 blocks"), "{error}");
}

#[test]
fn records_that_cannot_be_are_refused() {
    let mut of_no_site = weak((0, 0, 1), 0);
    of_no_site[0].header.site = 99;
    let mut barrier = arrive((0, 0, 1));
    barrier[0].header.extra = 16;
    let mut of_other_site = weak((0, 0, 1), 0);
    of_other_site[0].header.site = BARRIER;
    let mut ticket = weak((0, 0, 1), 0);
    ticket[0].header.ticket = 1;
    for (operations, what) in [
        (vec![weak((1, 0, 1), 0)], "there is no such block"),
        (vec![weak((0, 2, 1), 0)], "the warp has no such lanes"),
        (vec![of_no_site], "there is no such site"),
        (vec![barrier], "a block has no barrier 16"),
        (vec![of_other_site], "its site is something else"),
        (vec![exit((0, 0, 1)), weak((0, 0, 3), 0)], "lanes of it have ended"),
        (vec![exit((0, 0, ALL)), exit((0, 1, ALL)), weak((0, 0, 1), 0)], "the block has ended"),
        (vec![weak((0, 0, 1), 0), ticket], "some operations have tickets"),
    ] {
        let error = error_of(&operations);
        assert!(error.contains(what), "{error}");
    }
}

/// Ships what is written to one queue of 64 slots.
fn shipped(
    write: impl FnOnce(&Writer) + Send,
    end: impl FnOnce(&Writer) -> LaunchEnd + Send,
) -> (Vec<String>, Result<u64, ShippingError>) {
    let writer = Writer::with_capacity(64);
    let (watch, launch) = (LaunchWatch::new(), launch(1, 64));
    let mut events = EventTexts::default();
    let readers = vec![Reader::new(writer.memory())];
    let result = std::thread::scope(|scope| {
        scope.spawn(|| {
            write(&writer);
            watch.ended(end(&writer));
        });
        let options = ShippingOptions {
            readers: 1,
            patience: Duration::from_millis(200),
            ..Default::default()
        };
        ship(&launch, readers, &watch, &mut events, options)
    });
    (events.0, result.map(|counts| counts.operations))
}

fn normal_end(writer: &Writer) -> LaunchEnd {
    LaunchEnd { counts: vec![writer.counts()], stopped: false }
}

#[test]
fn a_slot_that_is_never_committed_is_a_loss() {
    let write = |writer: &Writer| {
        writer.write(&exit((0, 0, ALL)));
        drop(writer.reserve(1));
        writer.write(&exit((0, 1, ALL)));
    };
    let (_, result) = shipped(write, normal_end);
    let lost = ShippingError::Lost { queue: 0, reserved: 3, committed: 2, read: 1 };
    assert_eq!(result, Err(lost));
}

#[test]
fn who_writes_more_than_can_be_put_in_order_is_not_made_to_wait_for_ever() {
    // The first operation waits for a turn that never comes; many queues full come after it.
    let write = |writer: &Writer| {
        writer.write(&strong((0, 0, 1), 0x40, &[2]));
        for address in 0..10_000 {
            writer.write(&weak((0, 0, 1), address));
        }
        writer.write(&exit((0, 0, ALL)));
        writer.write(&exit((0, 1, ALL)));
    };
    let (_, result) = shipped(write, normal_end);
    assert!(matches!(result, Err(ShippingError::NoProgress { .. })), "{result:?}");
}

#[test]
fn a_record_that_makes_no_sense_lets_the_device_go_on() {
    let write = |writer: &Writer| {
        writer.write(&[slot(RecordKind::Turns, (0, 0, 1), 0)]);
        for address in 0..10_000 {
            writer.write(&weak((0, 0, 1), address));
        }
    };
    let (events, result) = shipped(write, normal_end);
    assert!(matches!(result, Err(ShippingError::BadRecord { .. })), "{result:?}");
    assert_eq!(events, ["end"]);
}

#[test]
fn a_launch_that_is_stopped_names_the_barrier_that_it_hung_at() {
    let write = |writer: &Writer| {
        writer.write(&arrive((0, 0, ALL)));
        let mut other = arrive((0, 1, ALL));
        other[0].header.extra = 1;
        other[0].header.site = OTHER_BARRIER;
        writer.write(&other);
    };
    let stopped = |_: &Writer| LaunchEnd { counts: Vec::new(), stopped: true };
    let (events, result) = shipped(write, stopped);
    assert_eq!(result, Err(ShippingError::Stopped));
    assert_eq!(events, ["0: 0 and 32 never meet", "end"]);
}

#[test]
fn counters_that_agree_are_no_loss() {
    let write = |writer: &Writer| {
        writer.write(&exit((0, 0, ALL)));
        writer.write(&exit((0, 1, ALL)));
    };
    let (_, result) = shipped(write, normal_end);
    assert_eq!(result, Ok(2));
    let counted = |writer: &Writer| LaunchEnd {
        counts: vec![FinalCounts { reserved: 3, ..writer.counts() }],
        stopped: false,
    };
    let (_, result) = shipped(write, counted);
    assert!(matches!(result, Err(ShippingError::Lost { reserved: 3, read: 2, .. })), "{result:?}");
}

/// A sink that asks for reconvergence.
#[derive(Default)]
struct Reconverged(EventTexts);

impl EventSink for Reconverged {
    fn interest(&self) -> EventMask {
        EventMask::ALL | EventMask::JOINED
    }

    fn batch(&mut self, batch: &Batch<'_>) {
        self.0.batch(batch);
    }
}

#[test]
fn garbage_never_panics() {
    let paths = reconvergence::launch_of(reconvergence::LOOP).paths;
    let mut state = 1u64;
    let mut random = move |below: u64| {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) % below
    };
    for _ in 0..3000 {
        let mut events = Reconverged::default();
        let mut launch = launch(2, 64);
        launch.paths = paths.clone();
        launch.cluster = (random(2) == 0).then_some(Dim3::new(2, 1, 1));
        let mut merger = Merger::new(&launch, &[64, 64], &mut events);
        for index in 0..random(60) {
            let parts = random(3) as u8;
            let mut slots = Vec::new();
            for part in 0..=parts {
                let kind = match part {
                    0 => (1 + random(19) as u16) | u16::from(parts) << 8,
                    _ => [2, 3, 14, 15][random(4) as usize],
                };
                let header = Header {
                    block: random(2) as u32,
                    warp: random(2) as u16,
                    kind,
                    site: random(5) as u32,
                    mask: 1 + random(7) as u32,
                    wrote: random(8) as u32,
                    extra: random(5) as u32 | (random(2) as u32) << 8,
                    ticket: 0,
                };
                slots.push(Slot { header, lanes: std::array::from_fn(|_| random(6)) });
            }
            let Some(operation) = Operation::of_slots(&slots) else { continue };
            if merger.accept(random(2) as usize, index, operation).is_err() && random(4) == 0 {
                break;
            }
        }
        let _ = merger.examples();
        let _ = merger.finish();
    }
}
