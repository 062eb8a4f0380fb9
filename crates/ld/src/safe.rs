//! Section 4.6: safe execution. Every warp runs each region on a private copy, as in the first pass; then the copies are merged, and
//! nobody asks whether they conflict. Warps of a block become one at each barrier, blocks become one when the kernel ends.
//!
//! - **Deterministic**: merged in the order of warps, then of blocks; the last writer's byte counts. Whatever the seed, the
//!   outcome is the same.
//! - **Race-free**: merged in any order: in that of the seed here.
//!
//! Kernels with atomics are refused in the paper. Here integer updates that commute (add, min, max, and, or, xor), and whose results
//! nobody reads, are allowed: they are made again, one by one, where copies are merged (`updates.rs`).

use crate::crew::Crew;
use crate::detector::Nobody;
use crate::executed::{Executed, private_address};
use crate::pieces::{Content, differing};
use crate::refusal::{self, Refusal};
use crate::union::{Changed, Changes, Union};
use crate::updates;
use crate::worker::{LONGEST_REGION, Worker};
use std::collections::BTreeMap;
use warpsan_event::EventSink;
use warpsan_model::SiteId;
use warpsan_simt::{
    BlockRun, DeviceMemory, Launch, LaunchError, LaunchStats, OutOfBounds, Outcome, Place,
    RegionEnd, Update, run,
};

/// What safe execution promises.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Promise {
    /// No two threads access memory without order.
    RaceFree,
    /// That, and the same outcome in every run.
    Deterministic,
}

/// What a block leaves behind.
struct Left {
    changes: Changes,
    updates: Vec<Update>,
    printed: Vec<u8>,
    out_of_bounds: Vec<OutOfBounds>,
    stats: LaunchStats,
    result: Result<(), LaunchError>,
}

/// Runs a launch safely, or says why it cannot be. Who listens gets events of what was executed: accesses of private copies, and
/// the writes that merge them.
pub fn run_safely(
    launch: &Launch<'_>,
    memory: &DeviceMemory,
    promise: Promise,
    listener: Option<&mut dyn EventSink>,
) -> Result<Outcome, Refusal> {
    if let Some(refusal) = refusal::for_safety(launch, memory.has_registered_ranges()) {
        return Err(refusal);
    }
    let launch = launch.for_blocks(memory);
    let mut crew = Crew::new(&launch, memory);
    crew.keep_updates();
    let blocks = launch.geometry.grid.count() as usize;
    let left = match listener {
        None => crew.each(blocks, |worker, block| run_block(worker, block as u32, promise)),
        Some(listener) => with_listener(&launch, memory, promise, listener),
    };
    let mut outcome = Outcome::without_work(Ok(()));
    let mut copies = Vec::with_capacity(blocks);
    let mut all_updates = Vec::with_capacity(blocks);
    for one in left {
        outcome.printed.extend(one.printed);
        outcome.out_of_bounds.extend(one.out_of_bounds);
        outcome.stats.warp_instructions += one.stats.warp_instructions;
        outcome.stats.accesses += one.stats.accesses;
        copies.push(one.changes);
        all_updates.push(one.updates);
        if let Err(error) = one.result {
            outcome.result = Err(error);
            break;
        }
    }
    if let Err(error) = &outcome.result {
        if matches!(error, LaunchError::OutOfBudget { .. }) {
            return Err(Refusal::Waits(error.to_string()));
        }
        // It fails without us, too, and says then where.
        drop(crew);
        return Ok(run(&launch, memory, &mut Nobody));
    }
    if promise == Promise::RaceFree {
        let first = launch.schedule.seed as usize % blocks.max(1);
        copies.rotate_left(first);
        all_updates.rotate_left(first);
    }
    let updates = all_updates.concat();
    add_places(&crew, &mut copies, &updates);
    let mut union = Union::of(&copies);
    updates::make_in(&mut union, &updates);
    crew.put_after(&union);
    Ok(outcome)
}

/// Runs all blocks, one after the other, for somebody who listens.
fn with_listener(
    launch: &Launch<'_>,
    memory: &DeviceMemory,
    promise: Promise,
    listener: &mut dyn EventSink,
) -> Vec<Left> {
    let mut sink = Executed::new(listener, launch.geometry.warps_per_block());
    let renames = sink.renames();
    let mut run = BlockRun::new(launch, memory, None, &mut sink);
    run.keep_updates(true);
    run.listen(true);
    run.emit_launch_begin();
    let mut worker = Worker::new(run, Default::default(), launch.schedule.seed);
    worker.merges = Some(renames);
    let blocks = launch.geometry.grid.count() as u32;
    let mut left = Vec::new();
    for block in 0..blocks {
        left.push(run_block(&mut worker, block, promise));
        worker.run.emit_block_end();
        if left.last().is_some_and(|one| one.result.is_err()) {
            break;
        }
    }
    worker.run.emit_launch_end();
    worker.run.flush();
    left
}

/// Emits how the copies of a block became one: a thread of it writes what changed to all of them, between two barriers.
fn emit_merge(worker: &mut Worker<'_>, site: SiteId, changed: &[(Place, Content)]) {
    let Some(renames) = worker.merges.clone() else { return };
    worker.run.flush();
    renames.set(false);
    let (block, warps) = (worker.run.block(), worker.run.warps() as u32);
    for warp in 0..warps {
        for (place, _) in changed {
            worker.run.emit_write(site, private_address(*place, block, warp, warps));
        }
    }
    worker.run.emit_barrier();
    worker.run.flush();
    renames.set(true);
}

/// Places that are only updated are pieces of the union, too.
fn add_places(crew: &Crew<'_>, copies: &mut Vec<Changes>, updates: &[Update]) {
    let mut places: Vec<Place> = updates::pieces(updates).collect();
    places.sort_unstable();
    places.dedup();
    let contents = crew.each(1, |worker, _| {
        places.iter().map(|place| worker.run.content(*place)).collect::<Vec<_>>()
    });
    let untouched = places.iter().zip(contents.into_iter().flatten());
    // They come first: whoever writes there comes later.
    let untouched =
        untouched.map(|(&place, now)| Changed { place, before: now, after: now, bytes: 0 });
    copies.insert(0, untouched.collect());
}

/// Runs a block, region by region, each warp on its own copy. Memory is as it was before, at the end.
fn run_block(worker: &mut Worker<'_>, block: u32, promise: Promise) -> Left {
    worker.run.set_limit(LONGEST_REGION);
    let before = worker.run.stats();
    worker.run.start(block);
    // What was in memory before the block.
    let mut first: BTreeMap<Place, Content> = BTreeMap::new();
    let mut all_updates = Vec::new();
    let result = loop {
        let changed = match run_region(worker, promise, &mut all_updates) {
            Ok(changed) => changed,
            Err(error) => break Err(error),
        };
        for (place, content) in &changed {
            first.entry(*place).or_insert(*content);
        }
        match worker.run.end_region() {
            Ok(RegionEnd::Barrier(site)) => emit_merge(worker, site, &changed),
            Ok(RegionEnd::BlockEnd) => break Ok(()),
            Err(error) => break Err(error),
        }
    };
    let mut changes = Changes::new();
    for (place, before) in first {
        let after = worker.run.content(place);
        worker.run.put(place, &before);
        let bytes = differing(&before, &after);
        if bytes != 0 && matches!(place, Place::Global(_)) {
            changes.push(Changed { place, before, after, bytes });
        }
    }
    all_updates.retain(|update| matches!(update.place, Place::Global(_)));
    updates::take_out(&mut changes, &mut all_updates);
    let now = worker.run.stats();
    Left {
        changes,
        updates: all_updates,
        printed: worker.run.take_printed(),
        out_of_bounds: worker.run.take_out_of_bounds(),
        stats: LaunchStats {
            warp_instructions: now.warp_instructions - before.warp_instructions,
            accesses: now.accesses - before.accesses,
        },
        result,
    }
}

/// Runs a region of a block and merges its warps. Gives back what was in memory before, where it was changed.
fn run_region(
    worker: &mut Worker<'_>,
    promise: Promise,
    all_updates: &mut Vec<Update>,
) -> Result<Vec<(Place, Content)>, LaunchError> {
    let warps = worker.run.warps();
    let mut copies = vec![Changes::new(); warps];
    let mut updates = vec![Vec::new(); warps];
    for warp in worker.order() {
        let result = worker.run.run_warp(warp);
        copies[warp] = worker.take_changes();
        worker.run.take_updates(&mut updates[warp]);
        result?;
        updates::take_out(&mut copies[warp], &mut updates[warp]);
    }
    if promise == Promise::RaceFree {
        let first = worker.seed as usize % warps.max(1);
        copies.rotate_left(first);
        updates.rotate_left(first);
    }
    let union = Union::of(&copies);
    let mut before: Vec<_> = union.pieces.iter().map(|piece| (piece.place, piece.before)).collect();
    for piece in &union.pieces {
        worker.run.put(piece.place, &piece.after);
    }
    let made = updates.concat();
    for place in updates::pieces(&made) {
        if union.find(place).is_none() {
            before.push((place, worker.run.content(place)));
        }
    }
    updates::make(&mut worker.run, &made);
    all_updates.extend(made);
    Ok(before)
}
