//! A device that does not let lanes join: what it would have told, made of what the emulated device told.

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

/// Lanes of a warp that have parted once tell everything by themselves, up to a barrier.
fn let_apart(operations: &[Vec<Slot>]) -> Vec<Vec<Slot>> {
    let mut warps: BTreeMap<(u32, u16), Vec<u32>> = BTreeMap::new();
    let mut apart = Vec::new();
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
            apart.push(slots);
        }
        let meet = [RecordKind::BlockBarrierArrive, RecordKind::WarpBarrier];
        if header.record_kind().is_some_and(|kind| meet.contains(&kind)) {
            parts.retain(|part| part & header.mask == 0);
            parts.push(header.mask);
        }
    }
    apart
}

/// Tells a sink of operations whose lanes are let apart, in an order that depends on a seed.
pub(super) fn ship_apart(
    launch: ShippedLaunch,
    operations: &[Vec<Slot>],
    seed: u64,
    sink: &mut dyn EventSink,
) -> Result<ShippingCounts, ShippingError> {
    let operations = let_apart(operations);
    let slots = operations.iter().map(|slots| slots.len() as u64).sum();
    let encoded = Encoded { launch, operations };
    let mut random = Random::new(seed);
    let operations = deliver(&encoded, 1, Way::Shuffled, &mut random, sink)?;
    Ok(ShippingCounts { operations, slots })
}
