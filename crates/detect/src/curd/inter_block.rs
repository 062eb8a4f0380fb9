//! The sets of blocks in global memory, and when they are compared: lazily, when the kernel has ended, or eagerly, at each
//! barrier.
//!
//! The eager scheme has a list of subsets for each block, one for each time between two barriers, and remembers for each pair of
//! blocks how many subsets of the other one it has compared (`alreadyChecked`). Here one block comes to a barrier after the
//! other, and is then compared with all others. So one list has the write subsets of all blocks in the order in which they
//! came to be, and a block remembers how long that list was: this one number says it of all other blocks.

use super::findings::{Class, Findings, Party, PendingRace};
use super::intra_block::Block;
use super::overlap::Overlap;
use super::sets::{BlockSet, Room, SetCounts};
use super::settings::{CurdSettings, InterBlock};
use super::writes::{Among, CheckCounts, Item, Writes};
use rustc_hash::FxHashMap;
use warpsan_model::Space;

/// What a block has read and written.
#[derive(Debug, Default)]
struct BlockSets {
    number: u32,
    /// One in the lazy scheme; in the eager one, one for each time between two barriers.
    reads: Vec<BlockSet>,
    /// Only in the lazy scheme.
    writes: BlockSet,
    /// How many subsets of the common list this block's read sets were compared with.
    already_checked: usize,
}

/// A write set of a block between two barriers; never changed.
#[derive(Debug)]
struct Subset {
    block: u32,
    writes: Writes,
}

/// The sets of all blocks of a launch.
#[derive(Debug)]
pub(super) struct Grid {
    settings: CurdSettings,
    blocks: Vec<BlockSets>,
    /// Where a block's sets are in the list.
    places: FxHashMap<u32, usize>,
    subsets: Vec<Subset>,
    all_writes: Writes,
    room: Room,
    /// Sets that are not in use: their memory is used again by later blocks and launches.
    spare: Vec<BlockSet>,
    pub(super) checks: u64,
    pub(super) reused: u64,
    pub(super) set_counts: SetCounts,
    check_counts: CheckCounts,
}

impl Grid {
    pub(super) fn new(settings: CurdSettings) -> Grid {
        Grid {
            settings,
            blocks: Vec::new(),
            places: FxHashMap::default(),
            subsets: Vec::new(),
            all_writes: Writes::new(Among::Blocks),
            room: Room::default(),
            spare: Vec::new(),
            checks: 0,
            reused: 0,
            set_counts: SetCounts::default(),
            check_counts: CheckCounts::default(),
        }
    }

    /// A block is at a barrier, or has ended: takes over what its threads did since the last one.
    pub(super) fn take(&mut self, block: &Block, findings: &mut Findings) {
        if !block.has_used_global() {
            return;
        }
        match self.settings.inter_block {
            InterBlock::Lazy => self.take_lazily(block),
            InterBlock::Eager => self.take_eagerly(block, findings),
        }
    }

    fn place(&mut self, number: u32) -> usize {
        let next = self.blocks.len();
        let place = *self.places.entry(number).or_insert(next);
        if place == next {
            let writes = self.new_set();
            self.blocks.push(BlockSets { number, writes, ..BlockSets::default() });
        }
        place
    }

    fn new_set(&mut self) -> BlockSet {
        let spare = self.spare.pop();
        self.reused += u64::from(spare.is_some());
        spare.unwrap_or_default()
    }

    fn take_lazily(&mut self, block: &Block) {
        let place = self.place(block.number);
        if self.blocks[place].reads.is_empty() {
            let reads = self.new_set();
            self.blocks[place].reads.push(reads);
        }
        let BlockSets { reads, writes, .. } = &mut self.blocks[place];
        let sets = [&mut reads[0], writes];
        block.add_to(sets, &mut self.room, &self.settings, &mut self.set_counts);
    }

    fn take_eagerly(&mut self, block: &Block, findings: &mut Findings) {
        let place = self.place(block.number);
        let (mut reads, mut writes) = (self.new_set(), self.new_set());
        let sets = [&mut reads, &mut writes];
        block.add_to(sets, &mut self.room, &self.settings, &mut self.set_counts);
        let now = self.subsets.len();
        // Step 1 and step 3: what was read and written since the last barrier, with all writes of others.
        let mut current = Writes::new(Among::Blocks);
        writes.gather(block.number, &mut current);
        current.prepare();
        for subset in self.subsets.iter_mut().filter(|subset| subset.block != block.number) {
            compare_reads(&reads, block.number, &mut subset.writes, findings, &mut self.checks);
            self.checks += u64::from(!writes.is_empty());
            writes.visit_near(block.number, &mut subset.writes, |others, item| {
                others.with_read(item, |other, own, at| {
                    findings.add(race(other, own, at, true));
                });
            });
        }
        // Step 2: what was read before, with what others have written since.
        let BlockSets { reads: earlier, already_checked, .. } = &mut self.blocks[place];
        for subset in &mut self.subsets[*already_checked..] {
            if subset.block != block.number {
                for reads in earlier.iter() {
                    let writes = &mut subset.writes;
                    compare_reads(reads, block.number, writes, findings, &mut self.checks);
                }
            }
        }
        *already_checked = now;
        if reads.is_empty() {
            self.spare.push(reads)
        } else {
            earlier.push(reads)
        }
        writes.clear();
        self.spare.push(writes);
        if !current.is_empty() {
            self.subsets.push(Subset { block: block.number, writes: current });
        }
    }

    /// The kernel has ended: compares what is not compared yet, and forgets everything.
    pub(super) fn end(&mut self, findings: &mut Findings) {
        match self.settings.inter_block {
            InterBlock::Lazy => self.compare_all(findings),
            InterBlock::Eager => self.compare_rest(findings),
        }
        for block in &mut self.blocks {
            self.spare.append(&mut block.reads);
            self.spare.push(std::mem::take(&mut block.writes));
        }
        self.spare.iter_mut().for_each(BlockSet::clear);
        self.blocks.clear();
        self.places.clear();
        for subset in self.subsets.drain(..) {
            add_counts(&mut self.check_counts, &subset.writes.counts);
        }
    }

    fn compare_all(&mut self, findings: &mut Findings) {
        if self.blocks.len() < 2 {
            return;
        }
        let writes = &mut self.all_writes;
        writes.clear();
        self.blocks.iter().for_each(|block| block.writes.gather(block.number, writes));
        if writes.is_empty() {
            return;
        }
        writes.prepare();
        self.checks += 1;
        writes.with_each_other(|first, second, at| findings.add(race(first, second, at, true)));
        for block in &self.blocks {
            for reads in &block.reads {
                compare_reads(reads, block.number, writes, findings, &mut self.checks);
            }
        }
    }

    /// What blocks read, with what others wrote after the last barrier of these.
    fn compare_rest(&mut self, findings: &mut Findings) {
        for block in &self.blocks {
            for subset in &mut self.subsets[block.already_checked..] {
                if subset.block != block.number {
                    for reads in &block.reads {
                        let writes = &mut subset.writes;
                        compare_reads(reads, block.number, writes, findings, &mut self.checks);
                    }
                }
            }
        }
    }

    /// How often something was done in comparisons.
    pub(super) fn check_counts(&self) -> CheckCounts {
        let mut counts = self.check_counts;
        add_counts(&mut counts, &self.all_writes.counts);
        counts
    }

    /// How many bytes all sets of blocks take.
    pub(super) fn bytes(&self) -> u64 {
        let of_block = |block: &BlockSets| {
            block.writes.bytes() + block.reads.iter().map(BlockSet::bytes).sum::<u64>()
        };
        let subsets = self.subsets.iter().map(|subset| subset.writes.bytes());
        self.blocks.iter().map(of_block).sum::<u64>() + subsets.sum::<u64>()
    }
}

fn add_counts(sum: &mut CheckCounts, more: &CheckCounts) {
    sum.by_compressed += more.by_compressed;
    sum.pairs += more.pairs;
    sum.taken_apart += more.taken_apart;
}

fn compare_reads(
    reads: &BlockSet,
    block: u32,
    writes: &mut Writes,
    findings: &mut Findings,
    checks: &mut u64,
) {
    if reads.is_empty() {
        return;
    }
    *checks += 1;
    reads.visit_near(block, writes, |writes, read| {
        writes.with_read(read, |write, read, at| findings.add(race(write, read, at, false)));
    });
}

/// A write of a block and what another one did.
fn race(first: &Item, second: &Item, at: Overlap, both_write: bool) -> PendingRace {
    let party = |item: &Item, lane: u32, writes: bool| Party {
        block: item.owner,
        thread: item.strip.base + lane,
        source: item.strip.source,
        writes,
    };
    let parties = [party(first, at.lanes.0, true), party(second, at.lanes.1, both_write)];
    PendingRace { class: Class::InterBlock, space: Space::Global, address: at.address, parties }
}
