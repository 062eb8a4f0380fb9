//! Orders, errors, and a device made of threads.

mod device;
mod errors;
mod order;
mod reconvergence;

use super::{Merger, Operation, ShippedLaunch, ShippingError};
use std::sync::Arc;
use warpsan_event::{AccessKind, Batch, Event, EventSink};
use warpsan_instrument::record::{AccessInfo, Header, Place, RecordKind, SiteInfo, Slot, location};
use warpsan_model::{Dim3, Geometry, LaunchId, Order, Scope, Strength, lanes};

const WEAK: u32 = 0;
const STRONG: u32 = 1;
const BARRIER: u32 = 2;
const EXIT: u32 = 3;
const OTHER_BARRIER: u32 = 4;
const BITS: u32 = 8;

fn launch(blocks: u32, threads: u32) -> ShippedLaunch {
    let access = |kind, strength| {
        let (bytes, elements, read_only_path) = (4, 1, false);
        let place = Place::Global;
        SiteInfo::Access(AccessInfo { place, kind, strength, bytes, elements, read_only_path })
    };
    let relaxed = Strength::Strong { order: Order::Relaxed, scope: Scope::Gpu };
    ShippedLaunch {
        launch: LaunchId(7),
        facts: Arc::default(),
        sites: Arc::default(),
        infos: Arc::from([
            access(AccessKind::Write, Strength::Weak),
            access(AccessKind::ReadModifyWrite, relaxed),
            SiteInfo::BlockBarrier { aligned: true },
            SiteInfo::Plain,
            SiteInfo::BlockBarrier { aligned: true },
        ]),
        paths: Arc::default(),
        geometry: Geometry { grid: Dim3::new(blocks, 1, 1), block: Dim3::new(threads, 1, 1) },
        cluster: None,
        turn_bits: BITS,
        shared_base: 0,
    }
}

fn slot(kind: RecordKind, (block, warp, mask): (u32, u16, u32), site: u32) -> Slot {
    let kind = kind.with_parts(0);
    let header = Header { block, warp, kind, site, mask, ..Header::default() };
    Slot { header, lanes: [0; 32] }
}

/// A weak write of lanes to one address.
fn weak(who: (u32, u16, u32), address: u64) -> Vec<Slot> {
    let mut first = slot(RecordKind::Access, who, WEAK);
    first.header.wrote = who.2;
    first.lanes = [address; 32];
    vec![first]
}

/// An atomic of lanes at one address, with the turns of the active lanes.
fn strong(who: (u32, u16, u32), address: u64, turns: &[u64]) -> Vec<Slot> {
    let mut first = slot(RecordKind::Access, who, STRONG);
    first.header.kind = RecordKind::Access.with_parts(1);
    first.header.wrote = who.2;
    first.lanes = [address; 32];
    let mut part = slot(RecordKind::Turns, who, STRONG);
    for (lane, turn) in lanes(who.2).zip(turns) {
        part.lanes[lane as usize] = *turn;
    }
    vec![first, part]
}

fn arrive(who: (u32, u16, u32)) -> Vec<Slot> {
    vec![slot(RecordKind::BlockBarrierArrive, who, BARRIER)]
}

fn exit(who: (u32, u16, u32)) -> Vec<Slot> {
    vec![slot(RecordKind::Exit, who, EXIT)]
}

/// Keeps events as short texts.
#[derive(Default)]
struct EventTexts(Vec<String>);

impl EventSink for EventTexts {
    fn batch(&mut self, batch: &Batch<'_>) {
        for event in batch.events() {
            self.0.extend(match event {
                Event::Access(access) => {
                    let lanes: Vec<String> =
                        access.lanes().map(|(lane, at)| format!("{lane}@{at:x}")).collect();
                    let (block, warp) = (access.block.0, access.warp);
                    Some(format!("{block}.{warp}: {} {:?}", lanes.join(" "), access.versions))
                }
                Event::BlockBarrier { block, participants, .. } => {
                    Some(format!("{}: barrier {participants:x?}", block.0))
                }
                Event::WarpBarrier { block, warp, mask } => {
                    Some(format!("{}.{warp}: warp barrier {mask:x}", block.0))
                }
                Event::BarrierDivergence { block, thread, other_thread, completes, .. } => {
                    let how = if completes { "meet" } else { "never meet" };
                    Some(format!("{}: {thread} and {other_thread} {how}", block.0))
                }
                Event::BlockEnd { block } => Some(format!("{}: end", block.0)),
                Event::LaunchEnd { .. } => Some("end".to_owned()),
                _ => None,
            });
        }
    }
}

/// Hands operations of one queue to a merger; what it emits.
fn merged(
    launch: &ShippedLaunch,
    operations: &[Vec<Slot>],
) -> (Vec<String>, Result<u64, ShippingError>) {
    let mut events = EventTexts::default();
    let mut merger = Merger::new(launch, &[1 << 20], &mut events);
    let mut result = Ok(());
    for (index, slots) in (0..).zip(operations) {
        let operation = Operation::of_slots(slots).expect("slots of one operation");
        result = result.and_then(|()| merger.accept(0, index, operation));
    }
    let result = match result {
        Ok(()) => merger.finish(),
        Err(error) => {
            merger.give_up();
            Err(error)
        }
    };
    (events.0, result)
}

/// The location of an address of global memory.
fn place(address: u64) -> usize {
    location(None, address, BITS) as usize
}
