//! hb's entries on the emulated device: pools for them, and a look at what was lost.

use warpsan_instrument::{
    BYTES_RECORD, EntriesHead, Instrumented, LaunchContext, PAGE, PAGE_BYTES, SLOT_ALIGNMENT,
    launch_names,
};
use warpsan_model::DeviceAddress;

use super::{EmulatedDevice, EmulatedLaunch};

/// Pages of words.
const POOL_PAGES: u64 = 64;
/// Records of words in bytes.
const RECORDS: u64 = 1 << 12;
/// Slots for entries of shared memory: fewer than some grids have blocks.
const SLOTS: u32 = 2;
/// Bits for the intervals of a block, where nobody knows how many it has.
pub(super) const INTERVAL_BITS: u32 = 12;

/// Chunks of addresses that the table of lines has.
const CHUNKS: u64 = 256;
/// Pages of a chunk, and pages that the table of pages has.
const PAGES: u64 = (2 << 20) / PAGE;
const TABLE_PAGES: u64 = CHUNKS * PAGES;

/// Entries could not keep everything: bits of `entry_gaps`.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error("entries have gaps: {0}")]
pub struct EntryGaps(pub u32);

impl EmulatedDevice {
    /// Where the entries of a chunk's lines are.
    pub(super) fn enter_chunk(&mut self, chunk: u64, entries: u64) -> anyhow::Result<()> {
        if self.lines.0 == 0 {
            self.lines = (self.zeros(CHUNKS * 8)?, chunk);
            self.page_table = self.zeros(TABLE_PAGES * 8)?;
        }
        let (table, first) = self.lines;
        // What is not in the table is found by the shadow table.
        match chunk.checked_sub(first).filter(|number| *number < CHUNKS) {
            Some(number) => self.write(table + number * 8, &entries.to_le_bytes()),
            None => Ok(()),
        }
    }

    /// Entries for a launch.
    pub(super) fn prepare_entries(
        &mut self,
        made: &Instrumented,
        launch: &EmulatedLaunch<'_>,
        (blocks, bits): (u64, u32),
        context: &mut LaunchContext,
    ) -> anyhow::Result<()> {
        if self.entries == 0 {
            let head = EntriesHead {
                pages: self.zeros(POOL_PAGES * PAGE_BYTES)?,
                bytes: self.zeros(RECORDS * BYTES_RECORD)?,
                shadow: self.table,
                page_table: self.page_table,
                first_page: self.lines.1 * PAGES,
                table_pages: TABLE_PAGES as u32,
                page_capacity: POOL_PAGES as u32,
                bytes_capacity: RECORDS as u32,
                ..EntriesHead::default()
            };
            self.entries = self.zeros(EntriesHead::BYTES)?;
            let bytes: Vec<u8> = head.words().iter().flat_map(|word| word.to_le_bytes()).collect();
            self.write(self.entries, &bytes)?;
        }
        let reports = std::mem::offset_of!(EntriesHead, reports) as u64;
        self.write(self.entries + reports, &context.reports.to_le_bytes())?;
        context.entries = self.entries;
        (context.line_table, context.first_chunk) = (self.lines.0, self.lines.1 as u32);
        context.chunks = CHUNKS as u32;
        context.page_table = self.page_table;
        context.first_page = (self.lines.1 * PAGES) as u32;
        context.table_pages = if self.page_table == 0 { 0 } else { TABLE_PAGES as u32 };
        context.identities = (blocks << bits) as u32;
        (context.interval_bits, context.last_interval) = (bits, (1 << bits) - 1);
        let warps = launch.geometry.warps_per_block();
        let tiles = made.uses.entries.tiles;
        context.names = launch_names(context.launch, context.options >> 16, bits, tiles, warps);
        if let Some(shared) = made.uses.entries.shared {
            context.shared_start = 0;
            let all = shared.static_bytes + launch.dynamic_shared_bytes;
            context.shared_stride = all.next_multiple_of(128);
            if let Some(bytes) = shared.slot_bytes(context.shared_stride) {
                context.slots = self.zeros(SLOT_ALIGNMENT + bytes * u64::from(SLOTS))?;
                (context.slot_count, context.slot_bytes) = (SLOTS, bytes as u32);
            }
        }
        Ok(())
    }

    /// An error if entries could not keep everything.
    pub(super) fn nothing_lost(&self, context: &LaunchContext) -> anyhow::Result<()> {
        let mut gaps = [0; 4];
        self.memory().read(DeviceAddress(context.entries + EntriesHead::GAPS), &mut gaps)?;
        match u32::from_le_bytes(gaps) {
            0 => Ok(()),
            gaps => anyhow::bail!(EntryGaps(gaps)),
        }
    }
}
