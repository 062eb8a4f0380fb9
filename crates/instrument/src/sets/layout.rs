//! The memory of sets, as the device has it. `device/sets_layout.h` is printed from this.

use crate::context::LaunchContext;
use std::mem::offset_of;

/// Bytes of an entry, of a row with the distances of scattered lanes, of a node in the table of lines, and of a bucket of it.
pub(crate) const ENTRY_BYTES: u64 = 32;
pub(crate) const ROW_BYTES: u64 = 128;
const NODE_BYTES: u64 = 16;
const BUCKET_BYTES: u64 = 16;
/// Entries that find no place of their own go to one of these, by their warp.
pub(crate) const PARTITIONS: u64 = 256;
/// Signatures of blocks that were compared are found by so many bits.
pub(crate) const KNOWN_BITS: u32 = 13;

/// What a partition has taken.
#[repr(C)]
#[derive(Debug)]
pub(crate) struct Counters {
    pub(crate) entries: u32,
    pub(crate) rows: u32,
    pub(crate) nodes: u32,
    /// Partitions lie in lines of their own.
    pub(crate) unused: [u32; 29],
}

/// The head of the sets.
#[repr(C)]
#[derive(Debug)]
pub(crate) struct Head {
    /// `direct_entries`, then `partition_entries` of each partition.
    pub(crate) entries: u64,
    pub(crate) rows: u64,
    pub(crate) slots: u64,
    /// A word for each slot: whether a block has it.
    pub(crate) owners: u64,
    /// Marks of lines, then lists of those that write to them.
    pub(crate) buckets: u64,
    /// Of these lists: one for each entry, then `partition_nodes` of each partition.
    pub(crate) nodes: u64,
    pub(crate) direct_entries: u32,
    pub(crate) partition_entries: u32,
    pub(crate) partition_rows: u32,
    pub(crate) partition_nodes: u32,
    pub(crate) slot_count: u32,
    pub(crate) slot_entries: u32,
    pub(crate) bucket_bits: u32,
    /// What found no room so far.
    pub(crate) gaps: u32,
    /// The launch, for the eager scheme.
    pub(crate) reports: u64,
    pub(crate) launch: u32,
    pub(crate) options: u32,
    pub(crate) warps_per_block: u32,
    pub(crate) unused: u32,
    /// The end of what was written. Zeros when a launch begins, from here on.
    pub(crate) write_end: u64,
    /// The start of it, as the distance from the highest address.
    pub(crate) write_start: u64,
    /// A bit for each place that is seldom used, and was.
    pub(crate) used_places: [u32; 8],
    /// Whether somebody writes lines that somebody else accesses.
    pub(crate) some_meet: u32,
    pub(crate) padding: u32,
    pub(crate) counters: [Counters; PARTITIONS as usize],
    /// Signatures of what blocks did that were compared; these stay.
    pub(crate) known: [u64; 1 << KNOWN_BITS],
}

/// How large the sets of launches are that follow each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SetSizes {
    /// Entries with places of their own.
    pub direct_entries: u32,
    /// Entries of one of 256 partitions, for all others.
    pub partition_entries: u32,
    /// Rows of one partition.
    pub partition_rows: u32,
    /// Nodes of one partition, for writes of more than one line.
    pub partition_nodes: u32,
    /// Blocks that can be there at the same time.
    pub slots: u32,
    /// Entries of one list of a block.
    pub slot_entries: u32,
    /// The table of lines has `1 << bucket_bits` buckets.
    pub bucket_bits: u32,
}

/// The pieces of memory that sets consist of, in the order of [`SetSizes::bytes`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SetPlaces {
    /// Where each piece lies.
    pub pieces: [u64; SetSizes::PIECES],
}

impl SetSizes {
    /// Pieces of memory beside the head: entries, rows, slots, their owners, buckets, nodes.
    pub const PIECES: usize = 6;
    /// Lists of a block: writes and reads, of this time between two barriers and of the last one.
    pub const LISTS: u64 = 4;
    /// Bytes of the head.
    pub const HEAD_BYTES: u64 = size_of::<Head>() as u64;

    /// Bytes of each piece.
    pub fn bytes(&self) -> [u64; SetSizes::PIECES] {
        let entries =
            u64::from(self.direct_entries) + PARTITIONS * u64::from(self.partition_entries);
        let slots = u64::from(self.slots);
        [
            entries * ENTRY_BYTES,
            PARTITIONS * u64::from(self.partition_rows) * ROW_BYTES,
            slots * SetSizes::LISTS * u64::from(self.slot_entries) * ENTRY_BYTES,
            slots * 4,
            BUCKET_BYTES << self.bucket_bits,
            (entries + PARTITIONS * u64::from(self.partition_nodes)) * NODE_BYTES,
        ]
    }

    /// The head up to what begins with zeros at each launch.
    pub fn head(&self, places: &SetPlaces) -> Vec<u64> {
        let pair = |low: u32, high: u32| u64::from(low) | u64::from(high) << 32;
        let mut words = places.pieces.to_vec();
        words.extend([
            pair(self.direct_entries, self.partition_entries),
            pair(self.partition_rows, self.partition_nodes),
            pair(self.slots, self.slot_entries),
            pair(self.bucket_bits, 0),
        ]);
        words.extend([0; 3]);
        words
    }
}

/// What entries of a launch have in their highest byte. It repeats after [`TAGS`] launches.
pub fn set_tag(launch: u32) -> u32 {
    (launch % TAGS + 1) << 24
}
/// So many tags there are.
pub const TAGS: u32 = 0xFF;
/// Where the head has the number of slots and, behind it, the entries of a list.
pub const SLOTS_OFFSET: u64 = offset_of!(Head, slot_count) as u64;
/// Where the head says what found no room ([`gaps`]), in all launches so far.
pub const GAPS_OFFSET: u64 = offset_of!(Head, gaps) as u64;
/// Where the head has the launch, for the eager scheme ([`eager_words`]).
pub const EAGER_OFFSET: u64 = offset_of!(Head, reports) as u64;

/// What the head says of a launch whose blocks are compared while it runs.
pub fn eager_words(context: &LaunchContext, warps_per_block: u32) -> [u64; 3] {
    let pair = |low: u32, high: u32| u64::from(low) | u64::from(high) << 32;
    [context.reports, pair(context.launch, context.options), u64::from(warps_per_block)]
}

/// Where the part of the head begins that is filled with zeros before each launch.
pub const RESET_OFFSET: u64 = offset_of!(Head, write_end) as u64;
/// Its bytes.
pub const RESET_BYTES: u64 = offset_of!(Head, known) as u64 - RESET_OFFSET;

/// The words of a block in shared memory: `device/curd_entries.h`.
pub(crate) const BLOCK_WORDS: &str = "ws_block";
/// Their bytes.
pub(crate) const BLOCK_BYTES: u32 = 112 + 2 * 2 * 64 * 8;

/// What found no room.
pub mod gaps {
    /// The accesses of a block between two barriers.
    pub const THREADS: u32 = 1;
    /// The accesses of blocks.
    pub const BLOCKS: u32 = 2;
    /// A block.
    pub const SLOT: u32 = 4;
    /// Writes to one line.
    pub const CROWDED: u32 = 8;
}

/// What the kernels get that compare blocks.
#[repr(C)]
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct CheckerParameters {
    /// The head of the sets.
    pub sets: u64,
    /// The device's side of the reports.
    pub reports: u64,
    /// The warps of the grid.
    pub warps: u32,
    /// The places of the kernel ([`EntryPlaces::count`]).
    pub places: u32,
    /// The number of the launch.
    pub launch: u32,
    /// As in the launch's context.
    pub options: u32,
    /// Warps of a block.
    pub warps_per_block: u32,
    /// As in the launch's context.
    pub set_tag: u32,
    /// The places that are written to ([`EntryPlaces::written`]).
    pub written: [u64; 4],
    /// The places that are seldom used ([`EntryPlaces::seldom`]).
    pub seldom: [u64; 4],
}

impl CheckerParameters {
    /// For a launch with this context, of a kernel with these places.
    pub fn new(
        context: &LaunchContext,
        places: &EntryPlaces,
        warps_per_block: u32,
    ) -> CheckerParameters {
        CheckerParameters {
            sets: context.sets,
            reports: context.reports,
            warps: context.warps,
            places: places.count,
            launch: context.launch,
            options: context.options,
            warps_per_block,
            set_tag: context.set_tag,
            written: places.written,
            seldom: places.seldom,
        }
    }
}

/// Entries that a kernel has places for: so many of each warp.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct EntryPlaces {
    /// How many there are.
    pub count: u32,
    /// A bit for each of them, for those of stores.
    pub written: [u64; 4],
    /// For the second ones of accesses that have two.
    pub seldom: [u64; 4],
}

impl EntryPlaces {
    /// More than these there are not: places of all warps have numbers of 32 bits.
    const MOST: u32 = 255;

    /// Takes a place for an access, or two for one that is kept until a thread leaves: lanes of which some came once more than
    /// the others have two entries. The number of the first, if there are as many left.
    pub(crate) fn take(&mut self, is_kept: bool, writes: bool) -> Option<u32> {
        let first = self.count;
        let places = if is_kept { 2 } else { 1 };
        let end = first.checked_add(places).filter(|end| *end <= EntryPlaces::MOST)?;
        self.count = end;
        for place in first..end {
            let (word, bit) = (place as usize / 64, place % 64);
            self.written[word] |= u64::from(writes) << bit;
            self.seldom[word] |= u64::from(place != first) << bit;
        }
        Some(first)
    }
}

/// The PTX of the kernels that compare blocks.
pub const CHECKER: &str = include_str!("../../device/curd_checker.ptx");
/// Their names, in the order in which they run.
pub const CHECKER_KERNELS: [&str; 4] =
    ["ws_curd_mark", "ws_curd_find", "ws_curd_enter", "ws_curd_look_up"];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_head_ends_where_zeros_begin() {
        let sizes = SetSizes {
            direct_entries: 1,
            partition_entries: 2,
            partition_rows: 3,
            partition_nodes: 4,
            slots: 5,
            slot_entries: 6,
            bucket_bits: 7,
        };
        let head = sizes.head(&SetPlaces { pieces: [8; 6] });
        assert_eq!(head.len() as u64 * 8, RESET_OFFSET);
        assert_eq!(head[6], 1 | 2 << 32);
        assert_eq!(head[SLOTS_OFFSET as usize / 8], 5 | 6 << 32);
        assert_eq!(sizes.bytes()[2], 5 * 4 * 6 * 32);
        assert_eq!(size_of::<CheckerParameters>(), 104);
    }
}
