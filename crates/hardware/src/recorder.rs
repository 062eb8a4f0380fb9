//! From events to a [`Workload`].
//!
//! What warps did is kept in the order of each warp; the order between warps is what the model makes
//! anew. Values are not kept. A loop that polls is kept as one operation, with the write that ended it: how many
//! turns it makes is the model's business.

mod polling;

use crate::coalescer::{Coalescer, Segment};
use crate::configuration::LINE_BYTES;
use crate::workload::{
    Action, BlockProgram, LaunchProgram, Line, Operation, Size, WarpProgram, Workload,
};
use polling::Polling;
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;
use std::io::Read;
use thiserror::Error;
use warpsan_event::trace::{TraceError, TraceReader, TraceStep};
use warpsan_event::{
    Access, AccessKind, Batch, CopyBegin, CopySide, Event, EventBuffer, EventMask, EventSink,
};
use warpsan_model::{Order, Scope, Space, Strength};

/// Lines of a page; memory counts by pages.
const LINES_IN_PAGE: u64 = 4096 / LINE_BYTES;
/// Lines that one operation may have; more become further operations.
const MOST_LINES: usize = 64;
/// Warps of the largest block (table V: 1024 threads).
pub(crate) const MOST_WARPS: u32 = 32;
/// Operations and lines that are kept, unless something else is asked for: about 5 GB.
pub const MOST_ITEMS: u64 = 512 << 20;

/// Why there is no workload.
#[derive(Debug, Error)]
pub enum WorkloadError {
    /// The trace cannot be read.
    #[error(transparent)]
    Trace(#[from] TraceError),
    /// It has more in it than the model keeps.
    #[error(
        "the trace has more than {most} operations and lines, which the model would have to keep in memory; record a smaller input, or fewer launches"
    )]
    TooLarge {
        /// What may be kept.
        most: u64,
    },
    /// It has an event of a warp that no block has.
    #[error(
        "the trace has an event of warp {warp} of a block, and blocks have at most {MOST_WARPS} warps"
    )]
    Strange {
        /// The warp's number.
        warp: u32,
    },
    /// It has no accesses at all.
    #[error("the trace has no accesses of kernels to global memory: there is nothing to time")]
    Empty,
}

/// Takes events and keeps what the model needs of them.
#[derive(Debug)]
pub struct Recorder {
    coalescer: Coalescer,
    launches: Vec<LaunchProgram>,
    /// The launch that is being recorded. Sorted, since blocks come in the order of a schedule.
    blocks: BTreeMap<u32, BlockProgram>,
    /// The pages of the program in the order of their first touch.
    pages: FxHashMap<u64, u32>,
    polling: Polling,
    size: Size,
    most: u64,
    /// A warp that no block has.
    strange: Option<u32>,
}

impl Default for Recorder {
    fn default() -> Recorder {
        Recorder::with_limit(MOST_ITEMS)
    }
}

impl Recorder {
    /// One that keeps at most so many operations and lines.
    pub fn with_limit(most: u64) -> Recorder {
        Recorder {
            coalescer: Coalescer::default(),
            launches: Vec::new(),
            blocks: BTreeMap::new(),
            pages: FxHashMap::default(),
            polling: Polling::default(),
            size: Size::default(),
            most,
            strange: None,
        }
    }

    /// Whether there was more than it keeps.
    fn is_full(&self) -> bool {
        self.size.operations + self.size.lines > self.most
    }

    /// Takes one event.
    pub fn event(&mut self, event: &Event<'_>) {
        if self.is_full() {
            return;
        }
        match event {
            Event::LaunchBegin { .. } | Event::LaunchEnd { .. } => self.end_launch(),
            Event::Access(access) => self.access(access),
            Event::Fence { block, warp, scope, .. } => {
                let action = match scope {
                    Scope::Cta => Action::BlockFence,
                    _ => Action::DeviceFence,
                };
                self.short(block.0, *warp, action);
            }
            Event::BlockBarrier { block, participants, .. } => self.barrier(block.0, participants),
            Event::CopyBegin(copies) => self.copies(copies),
            Event::BlockArrive { block, warp, .. }
            | Event::ClusterArrive { block, warp, .. }
            | Event::ClusterWait { block, warp, .. }
            | Event::ProxyFence { block, warp, .. }
            | Event::CopyWait { block, warp, .. }
            | Event::WarpBarrier { block, warp, .. } => self.short(block.0, *warp, Action::Turn),
            Event::Mbarrier(access) => self.short(access.block.0, access.warp, Action::Turn),
            Event::LaunchOrder { .. }
            | Event::Clusters { .. }
            | Event::BlockEnd { .. }
            | Event::LanesEnd { .. }
            | Event::PrerequisiteWait { .. }
            | Event::CopyEnd { .. }
            | Event::CopySignal { .. }
            | Event::Reconvergence { .. }
            | Event::BarrierDivergence { .. }
            | Event::Allocation { .. }
            | Event::Free { .. } => {}
        }
    }

    /// The workload, with the program's pages in the order of their addresses.
    pub fn finish(mut self) -> Result<Workload, WorkloadError> {
        self.end_launch();
        if let Some(warp) = self.strange {
            return Err(WorkloadError::Strange { warp });
        }
        if self.is_full() {
            return Err(WorkloadError::TooLarge { most: self.most });
        }
        if self.size.lines == 0 {
            return Err(WorkloadError::Empty);
        }
        let mut sorted: Vec<(u64, u32)> = self.pages.into_iter().collect();
        sorted.sort_unstable();
        let mut place = vec![0u32; sorted.len()];
        for (at, (_, touched)) in sorted.iter().enumerate() {
            place[*touched as usize] = at as u32;
        }
        let in_page = LINES_IN_PAGE as u32;
        for launch in &mut self.launches {
            for warp in launch.blocks.iter_mut().flat_map(|block| &mut block.warps) {
                for line in &mut warp.lines {
                    let page = place[(line.number / in_page) as usize];
                    line.number = page * in_page + line.number % in_page;
                }
            }
        }
        let memory_lines = sorted.len() as u32 * in_page;
        self.size.bytes = u64::from(memory_lines) * LINE_BYTES;
        Ok(Workload { launches: self.launches, memory_lines, size: self.size })
    }

    fn end_launch(&mut self) {
        self.polling.clear();
        let blocks = std::mem::take(&mut self.blocks);
        let places: FxHashMap<u32, u32> = blocks.keys().copied().zip(0..).collect();
        let mut blocks: Vec<BlockProgram> = blocks.into_values().collect();
        for warp in blocks.iter_mut().flat_map(|block| &mut block.warps) {
            for poll in &mut warp.polls {
                poll.block = places.get(&poll.block).copied().unwrap_or_default();
            }
        }
        if blocks.is_empty() {
            return;
        }
        let warps = blocks.iter().flat_map(|block| &block.warps);
        self.size.warps += warps.filter(|warp| !warp.operations.is_empty()).count() as u64;
        self.size.blocks += blocks.len() as u64;
        self.size.launches += 1;
        self.launches.push(LaunchProgram { blocks });
    }

    fn warp(&mut self, block: u32, warp: u32) -> &mut WarpProgram {
        if warp >= MOST_WARPS {
            self.strange = Some(warp);
        }
        let warp = warp % MOST_WARPS;
        let block = self.blocks.entry(block).or_default();
        if block.warps.len() <= warp as usize {
            block.warps.resize(warp as usize + 1, WarpProgram::default());
        }
        &mut block.warps[warp as usize]
    }

    fn short(&mut self, block: u32, warp: u32, action: Action) {
        self.size.operations += 1;
        let operation = Operation { action, releases: false, lines: 0, barrier: 0 };
        self.warp(block, warp).operations.push(operation);
    }

    fn barrier(&mut self, block: u32, participants: &[u64]) {
        let waits = |lanes: &u64| *lanes as u32 != 0;
        let waiting = participants.iter().filter(|lanes| waits(lanes)).count() as u32;
        let barriers = &mut self.blocks.entry(block).or_default().barriers;
        let barrier = barriers.len() as u32;
        barriers.push(waiting);
        for (warp, lanes) in participants.iter().enumerate() {
            if waits(lanes) {
                self.size.operations += 1;
                let action = Action::Barrier;
                let operation = Operation { action, releases: false, lines: 0, barrier };
                self.warp(block, warp as u32).operations.push(operation);
            }
        }
    }

    fn access(&mut self, access: &Access<'_>) {
        let (block, warp) = (access.block.0, access.warp);
        if access.space != Space::Global {
            return self.short(block, warp, Action::Turn);
        }
        let action = match (access.kind, access.strength) {
            (AccessKind::Read, Strength::Weak) => Action::Load,
            (AccessKind::Read, _) => Action::LoadAround,
            (AccessKind::Write, _) => Action::Store,
            (AccessKind::ReadModifyWrite, _) => Action::Atomic,
            (AccessKind::Reduction, _) => Action::Reduction,
        };
        let releases = access.strength.order().is_some_and(Order::releases)
            && access.strength.scope() != Some(Scope::Cta);
        if access.strength != Strength::Weak && self.polls(access) {
            return;
        }
        let addresses = access.lanes().map(|(_, address)| address);
        let segments = self.coalescer.segments(addresses, access.bytes_of_lane()).to_vec();
        self.lines(block, warp, (action, releases), &segments);
    }

    /// Whether a strong access is one more turn of the warp's last operation, which is kept only once.
    fn polls(&mut self, access: &Access<'_>) -> bool {
        let (block, warp) = (access.block.0, access.warp);
        let before = self.warp(block, warp).operations.len() as u32;
        let Some(poll) = self.polling.look_at(access, before) else { return false };
        let polls = &mut self.warp(block, warp).polls;
        polls.pop_if(|last| last.operation == poll.operation);
        polls.push(poll);
        true
    }

    /// The sides of asynchronous copies that are in global memory are loads and stores.
    fn copies(&mut self, copies: &CopyBegin<'_>) {
        let (block, warp) = (copies.block.0, copies.warp);
        let sides = [(copies.from, Action::LoadAround), (Some(copies.to), Action::Store)];
        for (side, action) in sides {
            match side {
                Some(side) if side.space == Space::Global => {
                    let segments = self.segments_of_copy(&side, copies.mask);
                    self.lines(block, warp, (action, false), &segments);
                }
                _ => self.short(block, warp, Action::Turn),
            }
        }
    }

    fn segments_of_copy(&mut self, side: &CopySide<'_>, mask: u32) -> Vec<Segment> {
        // A bulk copy is long: it is taken in pieces that the coalescer looks at as lanes.
        let piece = 16;
        let addresses = side.addresses.of(mask).flat_map(|(_, address)| {
            let pieces = u64::from(side.bytes).div_ceil(piece);
            (0..pieces).map(move |number| address.wrapping_add(number * piece))
        });
        self.coalescer.segments(addresses, piece).to_vec()
    }

    fn lines(&mut self, block: u32, warp: u32, what: (Action, bool), segments: &[Segment]) {
        let (action, releases) = what;
        for some in segments.chunks(MOST_LINES) {
            self.size.operations += 1;
            self.size.accesses += 1;
            self.size.lines += some.len() as u64;
            let lines: Vec<Line> = some.iter().map(|segment| self.line(segment)).collect();
            let to = self.warp(block, warp);
            let count = lines.len() as u16;
            to.operations.push(Operation { action, releases, lines: count, barrier: 0 });
            to.lines.extend(lines);
        }
    }

    fn line(&mut self, segment: &Segment) -> Line {
        let next = self.pages.len() as u32;
        let page = *self.pages.entry(segment.line / LINES_IN_PAGE).or_insert(next);
        let number = page * LINES_IN_PAGE as u32 + (segment.line % LINES_IN_PAGE) as u32;
        let Segment { words, lanes, most_on_a_word, .. } = *segment;
        Line { number, words, lanes, most_on_a_word }
    }
}

impl EventSink for Recorder {
    fn interest(&self) -> EventMask {
        EventMask::STRUCTURE | EventMask::ACCESSES | EventMask::SYNCHRONISATION
    }

    fn batch(&mut self, batch: &Batch<'_>) {
        for event in batch.events() {
            self.event(&event);
        }
    }
}

/// Reads a trace to its end.
pub fn read_trace<R: Read>(trace: &mut TraceReader<R>) -> Result<Workload, WorkloadError> {
    let mut recorder = Recorder::default();
    let mut buffer = EventBuffer::new();
    loop {
        match trace.read(&mut buffer)? {
            TraceStep::Events => recorder.batch(&buffer.batch()),
            TraceStep::Remark(_) => {}
            TraceStep::End => return recorder.finish(),
        }
    }
}

#[cfg(test)]
mod tests;
