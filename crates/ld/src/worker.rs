//! Who runs blocks: a place for one block at a time, what is needed to go back, and the log for reruns.

use crate::log::{Log, Logged};
use crate::pieces::Bytes;
use crate::union::{Changes, take_changes};
use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::rc::Rc;
use warpsan_simt::{BlockRun, LaunchError, Piece, Place, RegionEnd, SavedBlock};

/// Warp instructions of one warp between two barriers, after which it is taken for one that waits for another.
pub(crate) const LONGEST_REGION: u64 = 1 << 26;

/// How long a second pass may take whose first took so long: mixed values may make a loop endless.
pub(crate) fn longest_second_pass(first: u64) -> u64 {
    (4 * first).saturating_add(1 << 16)
}

/// Runs blocks of a launch.
pub(crate) struct Worker<'a> {
    pub(crate) run: BlockRun<'a>,
    pub(crate) log: Rc<RefCell<Log>>,
    /// The warps at the beginning of a region.
    pub(crate) saved: SavedBlock,
    /// What was written since the last look; kept for its memory.
    pub(crate) written: Vec<Piece>,
    /// Somebody listens to what is executed: whether accesses are those of private copies.
    pub(crate) merges: Option<Rc<Cell<bool>>>,
    /// In which order warps of a copy run: another one for each seed, which must not matter.
    pub(crate) seed: u64,
}

impl<'a> Worker<'a> {
    pub(crate) fn new(run: BlockRun<'a>, log: Rc<RefCell<Log>>, seed: u64) -> Worker<'a> {
        Worker { run, log, saved: SavedBlock::default(), written: Vec::new(), merges: None, seed }
    }

    /// The warps of a block, in the order in which they run.
    pub(crate) fn order(&self) -> impl Iterator<Item = usize> + use<> {
        let warps = self.run.warps();
        let first = (self.seed as usize) % warps.max(1);
        (0..warps).map(move |warp| (warp + first) % warps)
    }

    /// Runs a block from its beginning to its end, all warps on one copy.
    pub(crate) fn run_block(&mut self, block: u32) -> Result<(), LaunchError> {
        self.run.start(block);
        loop {
            for warp in self.order() {
                self.run.run_warp(warp)?;
            }
            if self.run.end_region()? == RegionEnd::BlockEnd {
                return Ok(());
            }
        }
    }

    /// Runs blocks one after the other on one copy of device memory. What they changed there is taken away, and memory is as
    /// it was.
    pub(crate) fn run_blocks(
        &mut self,
        blocks: impl Iterator<Item = u32>,
    ) -> (Changes, Result<(), LaunchError>) {
        let result = self.write_blocks(blocks);
        let written = std::mem::take(&mut self.written);
        let changes = take_changes(&mut self.run, &written, |_| true);
        self.written = written;
        (changes, result)
    }

    /// Runs blocks one after the other, and leaves in `written` which pieces of device memory they wrote to.
    pub(crate) fn write_blocks(
        &mut self,
        blocks: impl Iterator<Item = u32>,
    ) -> Result<(), LaunchError> {
        let mut all: Vec<Piece> = Vec::new();
        let mut several = false;
        let mut result = Ok(());
        for block in blocks {
            result = self.run_block(block);
            self.run.take_writes(&mut self.written);
            several |= !all.is_empty();
            all.extend(self.written.iter().filter(|piece| matches!(piece.place, Place::Global(_))));
            if result.is_err() {
                break;
            }
        }
        if several {
            // What was there before the first of them.
            all.sort_by_key(|piece| piece.place);
            all.dedup_by_key(|piece| piece.place);
        }
        self.written = all;
        result
    }

    /// Takes away what was written since the last look, and puts back what was there before.
    pub(crate) fn take_changes(&mut self) -> Changes {
        self.run.take_writes(&mut self.written);
        take_changes(&mut self.run, &self.written, |_| true)
    }

    /// Runs something with events of these bytes, and gives back who accessed them.
    pub(crate) fn logged(
        &mut self,
        wanted: impl Iterator<Item = (Place, Bytes)>,
        run: impl FnOnce(&mut Self),
    ) -> BTreeMap<Place, Vec<Logged>> {
        self.log.borrow_mut().begin(wanted);
        self.run.listen(true);
        run(self);
        self.run.listen(false);
        self.log.borrow_mut().take()
    }
}
