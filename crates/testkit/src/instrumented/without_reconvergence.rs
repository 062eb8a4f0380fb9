//! A device whose lanes do not reconverge: what it would have shipped, made of what the emulated device shipped.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};

use warpsan_event::EventSink;
use warpsan_gpu::shipping::{Reader, ShippedLaunch, ShippingCounts, ShippingError};
use warpsan_instrument::record::{RecordKind, Slot};

use crate::shipping::{Encoded, Way, deliver};
use warpsan_oracle::random::Random;

/// Reads queues until nothing is written any more. The operations of a block come in their order.
pub(super) fn read_all(mut queues: Vec<Reader>, has_ended: &AtomicBool) -> Vec<Vec<Slot>> {
    let mut slots: Vec<Vec<Slot>> = vec![Vec::new(); queues.len()];
    loop {
        // Asked first: what was written before is found below.
        let is_over = has_ended.load(Ordering::Acquire);
        let mut any = false;
        for (queue, slots) in queues.iter_mut().zip(&mut slots) {
            any |= queue.take(usize::MAX, slots) > 0;
        }
        if is_over && !any {
            break;
        }
        std::thread::yield_now();
    }
    let mut operations: Vec<Vec<Slot>> = Vec::new();
    for slot in slots.into_iter().flatten() {
        match operations.last_mut() {
            Some(last) if slot.header.record_kind().is_some_and(RecordKind::is_part) => {
                last.push(slot);
            }
            _ => operations.push(vec![slot]),
        }
    }
    operations
}

/// Splits operations: lanes of a warp that have diverged once ship everything by themselves, up to a barrier.
fn split(operations: &[Vec<Slot>]) -> Vec<Vec<Slot>> {
    let mut warps: BTreeMap<(u32, u16), Vec<u32>> = BTreeMap::new();
    let mut split = Vec::new();
    for slots in operations {
        let header = slots[0].header;
        let parts = warps.entry((header.block, header.warp)).or_insert_with(|| vec![u32::MAX]);
        let halves = |part: u32| [part & header.mask, part & !header.mask];
        *parts = parts.iter().flat_map(|part| halves(*part)).filter(|part| *part != 0).collect();
        for part in parts.iter().filter(|part| **part & header.mask != 0) {
            let mut slots = slots.clone();
            for slot in &mut slots {
                slot.header.mask = *part;
                if header.record_kind() == Some(RecordKind::Access) {
                    slot.header.wrote &= part;
                }
            }
            split.push(slots);
        }
        let barriers = [RecordKind::BlockBarrierArrive, RecordKind::WarpBarrier];
        if header.record_kind().is_some_and(|kind| barriers.contains(&kind)) {
            parts.retain(|part| part & header.mask == 0);
            parts.push(header.mask);
        }
    }
    split
}

/// Ships operations to a sink as lanes that do not reconverge would, in an order that depends on a seed.
pub(super) fn ship_split(
    launch: ShippedLaunch,
    operations: &[Vec<Slot>],
    seed: u64,
    sink: &mut dyn EventSink,
) -> Result<ShippingCounts, ShippingError> {
    let operations = split(operations);
    let slots = operations.iter().map(|slots| slots.len() as u64).sum();
    let encoded = Encoded { launch, operations };
    let mut random = Random::new(seed);
    let operations = deliver(&encoded, 1, Way::Shuffled, &mut random, sink)?;
    Ok(ShippingCounts { operations, slots })
}
