//! The blocks of a launch, on one core or on several.
//!
//! Blocks that cannot notice each other are run in parts, each as if it were alone: a part sees
//! memory as it was before its round, and what it writes is put in place after the round, in the
//! order of the parts. So it does not matter which parts run at the same time, or on how many cores,
//! and a program in which blocks wrongly rely on each other behaves the same every time.

use crate::engine::Engine;
use crate::launch::{Launch, Progress};
use crate::memory::{Changes, DeviceMemory, MemoryView, PrivateMemory, WriteNotes, lock};
use crate::out_of_bounds::Strays;
use crate::outcome::{LaunchError, LaunchStats, Outcome};
use crate::schedule::{Policy, Schedule};
use crate::trace::Trace;
use std::ops::Range;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Mutex, PoisonError};
use warpsan_event::{Batch, Event, EventBuffer, EventMask, EventSink};

/// Grids with fewer blocks are run in one part.
const FEWEST_BLOCKS: u64 = 128;
/// Parts that a grid is divided into, as far as that makes sense.
const PARTS: u64 = 512;
/// The most blocks of one part.
const LARGEST_PART: u64 = 64;
/// Parts that begin with the same memory.
const ROUND: u64 = 16;
/// Warp instructions that are not worth the trouble of separate parts.
const WORTHWHILE: u64 = 4 << 20;
/// Batches of events that a part may be ahead of its turn.
const BATCHES_AHEAD: usize = 64;

/// Runs a launch.
pub(crate) fn run(launch: &Launch<'_>, memory: &DeviceMemory, sink: &mut dyn EventSink) -> Outcome {
    let is_empty = launch.geometry.threads_per_block() == 0 || launch.geometry.grid.count() == 0;
    if is_empty {
        return Outcome::without_work(Ok(()));
    }
    let mut trace = Trace::new(sink);
    trace.structure(Event::LaunchBegin {
        launch: launch.id,
        facts: &launch.kernel.facts,
        sites: &launch.kernel.sites,
        geometry: launch.geometry,
    });
    let extent = launch.cluster_extents();
    if extent.count() > 1 {
        trace.structure(Event::Clusters { extent });
    }
    trace.flush();
    // Private views do not cover memory of the host.
    let outcome = match can_be_divided(launch) && !memory.has_registered_ranges() {
        true => in_parts(launch, memory, sink),
        false => in_one_part(launch, memory, sink),
    };
    let mut trace = Trace::new(sink);
    trace.structure(Event::LaunchEnd { launch: launch.id });
    trace.flush();
    outcome
}

/// This must not depend on the number of cores.
fn can_be_divided(launch: &Launch<'_>) -> bool {
    launch.kernel.program.blocks_are_independent
        && launch.cluster_extents().count() == 1
        && !launch.cooperative
        && !launch.record_schedule
        && !matches!(launch.schedule.policy, Policy::Replay(_))
        && launch.geometry.grid.count() >= FEWEST_BLOCKS
}

fn in_one_part(launch: &Launch<'_>, memory: &DeviceMemory, sink: &mut dyn EventSink) -> Outcome {
    let view = MemoryView::of(memory);
    let clusters = 0..launch.clusters();
    let mut engine =
        Engine::new(&launch.kernel.program, launch, view, Trace::new(sink), clusters, 0);
    let (stats, result) = engine.run();
    let turns = engine
        .take_recorded()
        .map(|turns| Schedule { policy: Policy::Replay(turns), seed: launch.schedule.seed });
    let core = engine.core();
    let (printed, strays) = (std::mem::take(&mut core.printed), std::mem::take(&mut core.strays));
    let out_of_bounds = strays.into_certain(&launch.pointers);
    Outcome { stats, printed, turns, out_of_bounds, result }
}

/// What a part leaves behind.
struct Done {
    changes: Changes,
    strays: Strays,
    stats: LaunchStats,
    result: Result<(), LaunchError>,
}

/// What all parts of a launch share.
struct Shared<'a> {
    launch: &'a Launch<'a>,
    memory: &'a DeviceMemory,
    /// Blocks of parts that have ended, and instructions.
    blocks_done: AtomicU64,
    instructions: AtomicU64,
    /// The first part that failed: what later ones do does not count.
    failed: AtomicU64,
}

fn in_parts(launch: &Launch<'_>, memory: &DeviceMemory, sink: &mut dyn EventSink) -> Outcome {
    let blocks = launch.geometry.grid.count();
    let in_part = (blocks / PARTS).clamp(1, LARGEST_PART);
    let parts = blocks.div_ceil(in_part);
    let shared = Shared {
        launch,
        memory,
        blocks_done: AtomicU64::new(0),
        instructions: AtomicU64::new(0),
        failed: AtomicU64::new(u64::MAX),
    };
    let mut outcome = Outcome::without_work(Ok(()));
    let workers = launch.jobs.clamp(1, ROUND as usize);
    // With fewer places it takes longer, and nothing else changes.
    let places: Vec<_> = (0..workers).map_while(|_| memory.private()).map(Mutex::new).collect();
    if places.is_empty() {
        the_rest(&shared, 0..blocks, sink, &mut outcome);
        return outcome;
    }
    let strays = rounds(&shared, &places, (parts, in_part), sink, &mut outcome);
    outcome.out_of_bounds = strays.into_certain(&launch.pointers);
    for place in places {
        memory.keep_private(place.into_inner().unwrap_or_else(PoisonError::into_inner));
    }
    outcome
}

/// Runs the parts, round by round. Gives back which accesses went to other memory than they were meant for.
fn rounds(
    shared: &Shared<'_>,
    places: &[Mutex<PrivateMemory>],
    (parts, in_part): (u64, u64),
    sink: &mut dyn EventSink,
    outcome: &mut Outcome,
) -> Strays {
    let launch = shared.launch;
    let blocks = launch.geometry.grid.count();
    let mut strays = Strays::default();
    let mut first = 0;
    while first < parts {
        // The first part goes alone, to see how much there is to do.
        let length = if first == 0 { 1 } else { ROUND };
        let round: Vec<Range<u64>> = (first..parts.min(first + length))
            .map(|part| part * in_part..blocks.min((part + 1) * in_part))
            .collect();
        let each = outcome.stats.warp_instructions / in_part;
        if first == 1 && each.saturating_mul(blocks) < WORTHWHILE {
            strays.add(the_rest(shared, in_part..blocks, sink, outcome));
            return strays;
        }
        let done = match places {
            [place] => one_after_the_other(shared, place, first, &round, sink),
            places => side_by_side(shared, places, first, &round, sink),
        };
        for part in done {
            shared.memory.apply(&part.changes);
            shared.memory.keep_changes(part.changes);
            strays.add(part.strays);
            outcome.stats.add(part.stats);
            outcome.result = part.result;
            if outcome.result.is_ok() && outcome.stats.warp_instructions >= launch.max_instructions
            {
                outcome.result = Err(LaunchError::OutOfBudget { limit: launch.max_instructions });
            }
            // What later parts of the round did does not count.
            if outcome.result.is_err() {
                return strays;
            }
        }
        first += length;
        // Parts may be too short to ask on their own.
        if !(launch.watch)(shared.progress(Progress { instructions: 0, blocks_done: 0, blocks })) {
            outcome.result = Err(LaunchError::Stopped);
            return strays;
        }
    }
    strays
}

/// Runs blocks in one part after all: there is little to do.
fn the_rest(
    shared: &Shared<'_>,
    blocks: Range<u64>,
    sink: &mut dyn EventSink,
    outcome: &mut Outcome,
) -> Strays {
    let view = MemoryView::of(shared.memory);
    let program = &shared.launch.kernel.program;
    let mut launch = shared.launch.clone();
    launch.max_instructions -= outcome.stats.warp_instructions.min(launch.max_instructions);
    let watch = |now: Progress| (shared.launch.watch)(shared.progress(now));
    launch.watch = &watch;
    let mut engine = Engine::new(program, &launch, view, Trace::new(sink), blocks, 1);
    let (stats, result) = engine.run();
    outcome.stats.add(stats);
    outcome.result = result.map_err(|error| match error {
        LaunchError::OutOfBudget { .. } => {
            LaunchError::OutOfBudget { limit: shared.launch.max_instructions }
        }
        other => other,
    });
    std::mem::take(&mut engine.core().strays)
}

fn one_after_the_other(
    shared: &Shared<'_>,
    place: &Mutex<PrivateMemory>,
    first: u64,
    round: &[Range<u64>],
    sink: &mut dyn EventSink,
) -> Vec<Done> {
    let mut done = Vec::new();
    for (number, blocks) in round.iter().enumerate() {
        let part = shared.run_part(place, first + number as u64, blocks.clone(), sink);
        let failed = part.result.is_err();
        done.push(part);
        if failed {
            break;
        }
    }
    done
}

/// Runs the parts of a round on several threads. Events come to the sink in the order of the parts:
/// a part that is ahead of its turn waits when it has too many.
fn side_by_side(
    shared: &Shared<'_>,
    places: &[Mutex<PrivateMemory>],
    first: u64,
    round: &[Range<u64>],
    sink: &mut dyn EventSink,
) -> Vec<Done> {
    let next = AtomicUsize::new(0);
    let results: Vec<Mutex<Option<Done>>> = round.iter().map(|_| Mutex::new(None)).collect();
    let interest = sink.interest();
    let (senders, receivers): (Vec<_>, Vec<_>) =
        round.iter().map(|_| sync_channel::<EventBuffer>(BATCHES_AHEAD)).unzip();
    let senders: Vec<Mutex<Option<SyncSender<EventBuffer>>>> =
        senders.into_iter().map(|sender| Mutex::new(Some(sender))).collect();
    let work = |place: &Mutex<PrivateMemory>| {
        loop {
            let number = next.fetch_add(1, Ordering::Relaxed);
            let Some(blocks) = round.get(number) else { return };
            let mut ahead = Ahead { interest, sender: take(&senders[number]) };
            let part = first + number as u64;
            let done = shared.run_part(place, part, blocks.clone(), &mut ahead);
            *lock(&results[number]) = Some(done);
        }
    };
    let work = &work;
    let have_begun = std::thread::scope(|scope| {
        let begin = |place| std::thread::Builder::new().spawn_scoped(scope, move || work(place));
        // A program may have no threads left: those that there are do it all.
        if places.iter().take_while(|place| begin(*place).is_ok()).count() == 0 {
            return false;
        }
        hand_on(receivers, &results, sink);
        // After a failure nobody listens any more, and nothing new is begun.
        next.store(round.len(), Ordering::Relaxed);
        true
    });
    if let (false, Some(place)) = (have_begun, places.first()) {
        return one_after_the_other(shared, place, first, round, sink);
    }
    let mut done = Vec::new();
    for result in results {
        match result.into_inner().unwrap_or_else(PoisonError::into_inner) {
            Some(part) => done.push(part),
            None => break,
        }
    }
    done
}

/// Gives the events of each part to the sink, up to a part that fails.
fn hand_on(
    receivers: Vec<Receiver<EventBuffer>>,
    results: &[Mutex<Option<Done>>],
    sink: &mut dyn EventSink,
) {
    for (receiver, result) in receivers.into_iter().zip(results) {
        for buffer in &receiver {
            sink.batch(&buffer.batch());
        }
        // The part left its result before it closed its end.
        if lock(result).as_ref().is_none_or(|done| done.result.is_err()) {
            return;
        }
    }
}

impl Shared<'_> {
    /// How far all parts are, with what one reports of itself.
    fn progress(&self, now: Progress) -> Progress {
        Progress {
            instructions: self.instructions.load(Ordering::Relaxed) + now.instructions,
            blocks_done: self.blocks_done.load(Ordering::Relaxed) + now.blocks_done,
            blocks: self.launch.geometry.grid.count(),
        }
    }

    fn run_part(
        &self,
        place: &Mutex<PrivateMemory>,
        part: u64,
        blocks: Range<u64>,
        sink: &mut dyn EventSink,
    ) -> Done {
        let mut place = lock(place);
        let written = place.take_written();
        let count = blocks.end - blocks.start;
        let watch = |now: Progress| {
            part <= self.failed.load(Ordering::Relaxed) && (self.launch.watch)(self.progress(now))
        };
        let mut launch = self.launch.clone();
        launch.watch = &watch;
        let (stats, result, written, strays) = {
            let view = MemoryView::private(self.memory, &place);
            let trace = Trace::new(sink);
            let program = &self.launch.kernel.program;
            let mut engine = Engine::new(program, &launch, view, trace, blocks, part + 2);
            engine.core().notes = WriteNotes::Bytes(written);
            let (stats, result) = engine.run();
            let core = engine.core();
            let strays = std::mem::take(&mut core.strays);
            let written = match std::mem::take(&mut core.notes) {
                WriteNotes::Bytes(written) => written,
                WriteNotes::Nothing | WriteNotes::Before(_) => Default::default(),
            };
            (stats, result, written, strays)
        };
        if result.is_err() {
            self.failed.fetch_min(part, Ordering::Relaxed);
        }
        self.instructions.fetch_add(stats.warp_instructions, Ordering::Relaxed);
        self.blocks_done.fetch_add(count, Ordering::Relaxed);
        let changes = place.take_changes(written, self.memory.spare_changes());
        Done { changes, strays, stats, result }
    }
}

/// Keeps events until it is their part's turn.
struct Ahead {
    interest: EventMask,
    sender: Option<SyncSender<EventBuffer>>,
}

impl EventSink for Ahead {
    fn interest(&self) -> EventMask {
        self.interest
    }

    fn batch(&mut self, _: &Batch<'_>) {
        // All comes as buffers.
    }

    fn buffer(&mut self, buffer: &mut EventBuffer) {
        let buffer = std::mem::take(buffer);
        // After a failure of an earlier part nobody listens, and it does not matter.
        if let Some(sender) = &self.sender
            && sender.send(buffer).is_err()
        {
            self.sender = None;
        }
    }
}

fn take<T>(mutex: &Mutex<Option<T>>) -> Option<T> {
    lock(mutex).take()
}
