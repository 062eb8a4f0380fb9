//! What host and device have in common where hb's entries are kept. `device/hb_layout.h` is printed from it.

/// Bytes of the entries of lines, for 2 MiB of addresses: 16 for each 128.
pub(crate) const LINE_ENTRIES: u64 = (2 << 20) / 8;
/// Where a chunk has, behind the entries of its lines and the sites of their other readers (two bytes each), the addresses of its pages of words, which have
/// 64 KiB of addresses each. Null for those whose lines are all whole.
pub(crate) const PAGES_OF_CHUNK: u64 = LINE_ENTRIES / 8 * 9;
/// Bytes of all that a chunk has.
pub(crate) const ENTRIES_OF_CHUNK: u64 = PAGES_OF_CHUNK + (CHUNK / PAGE) * 8;
/// Addresses of a chunk.
const CHUNK: u64 = 2 << 20;
/// Addresses that share a page of words, as a power of two.
pub(crate) const PAGE_BITS: u32 = 16;
/// The same in bytes.
pub const PAGE: u64 = 1 << PAGE_BITS;
/// Where a page has the writers of its words; readers are at its beginning.
#[cfg(any(test, feature = "device-sources"))]
pub(crate) const PAGE_WRITERS: u64 = PAGE * 2;
/// Where it has the sites of other readers, two bytes for each word.
pub(crate) const PAGE_SITES: u64 = PAGE * 4;
/// Where it has a bit for each line that is kept in words.
pub(crate) const PAGE_LINES: u64 = PAGE_SITES + PAGE / 2;
/// Where it counts these lines.
pub(crate) const PAGE_COUNT: u64 = PAGE_LINES + PAGE / 128 / 8;
/// Bytes of a page.
pub const PAGE_BYTES: u64 = PAGE_COUNT + 64;
/// Where a record of a word that is kept in bytes has their updaters: before that, each byte has 16 bytes, and two for the site of another reader.
#[cfg(any(test, feature = "device-sources"))]
pub(crate) const BYTES_UPDATERS: u64 = 80;
/// Bytes of such a record: each byte has two updaters.
pub const BYTES_RECORD: u64 = 144;
/// Asynchronous copies that a thread can have begun and not waited for.
pub(crate) const MOST_PENDING: u32 = 64;
/// Bytes of what a thread keeps of them in its local memory: three counts, and sixteen bytes for each.
pub(crate) const PENDING_BYTES: u32 = 16 + MOST_PENDING * 16;
/// Instructions that entries can name, and one that none has.
pub(crate) const MOST_SITES: usize = (1 << 12) - 1;

/// The device's side of the entries: pools of pages for words, and of records for bytes.
#[repr(C)]
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct EntriesHead {
    /// The first page.
    pub pages: u64,
    /// The records of words that are kept in bytes. Number 0 is none.
    pub bytes: u64,
    /// The device's side of the reports.
    pub reports: u64,
    /// The first level of the shadow table.
    pub shadow: u64,
    /// The address of a page for each 64 KiB of addresses from `first_page` on, as far as it has one. If its lowest bit is set, all of its lines are kept in
    /// words.
    pub page_table: u64,
    /// How many pages are in use; and in the upper half, whose the last one is: the number of its 64 KiB of addresses.
    pub pages_taken: u64,
    /// The number of the first 64 KiB of addresses in `page_table`.
    pub first_page: u64,
    /// So many the table has.
    pub table_pages: u32,
    /// Pages of the pool.
    pub page_capacity: u32,
    /// Records of the pool.
    pub bytes_capacity: u32,
    /// So many of them are in use.
    pub bytes_taken: u32,
    /// One that was taken for nothing.
    pub bytes_spare: u32,
    /// What was lost: [`entry_gaps`].
    pub gaps: u32,
}

impl EntriesHead {
    /// Bytes of the whole.
    pub const BYTES: u64 = size_of::<EntriesHead>() as u64;
    /// Where the number of the spare record stands.
    pub const BYTES_SPARE: u64 = std::mem::offset_of!(EntriesHead, bytes_spare) as u64;
    /// Where the number of pages in use stands: the lower half.
    pub const PAGES_TAKEN: u64 = std::mem::offset_of!(EntriesHead, pages_taken) as u64;
    /// Where that of records does.
    pub const BYTES_TAKEN: u64 = std::mem::offset_of!(EntriesHead, bytes_taken) as u64;
    /// Where the gaps stand.
    pub const GAPS: u64 = std::mem::offset_of!(EntriesHead, gaps) as u64;

    /// As it lies in the device's memory.
    pub fn words(&self) -> [u64; 10] {
        let pair = |low: u32, high: u32| u64::from(low) | u64::from(high) << 32;
        [
            self.pages,
            self.bytes,
            self.reports,
            self.shadow,
            self.page_table,
            self.pages_taken,
            self.first_page,
            pair(self.table_pages, self.page_capacity),
            pair(self.bytes_capacity, self.bytes_taken),
            pair(self.bytes_spare, self.gaps),
        ]
    }
}

const _: () = assert!(size_of::<EntriesHead>() == 80);

/// Bits of [`EntriesHead::gaps`].
pub mod entry_gaps {
    /// A pool was used up.
    pub const NO_ROOM: u32 = 1;
    /// Too many threads wanted one entry at the same time.
    pub const CONTENDED: u32 = 2;
    /// A warp had passed so many barriers of its own that two accesses could not be told to be ordered.
    pub const EPOCHS: u32 = 4;
    /// A block had passed more barriers than it had identities.
    pub const INTERVALS: u32 = 8;
    /// Memory that nobody was seen to allocate.
    pub const UNKNOWN_MEMORY: u32 = 16;
    /// Of a race with one of several updates, which one that was was not known any more.
    pub const WITNESSES: u32 = 32;
    /// A thread had begun so many asynchronous copies that it could not keep one more.
    pub const COPIES: u32 = 64;
    /// A thread wrote what an asynchronous copy of its own reads, and whether it did so before or after was not known.
    pub const SOURCES: u32 = 128;
    /// A weak access may be after a volatile store because the thread has seen what that stored.
    pub const OBSERVED: u32 = 256;
}

/// What a report of hb's entries says in its rule: the two threads in the lowest two bits, then flags.
pub mod entry_rules {
    /// Two lanes of a warp.
    pub const IN_A_WARP: u32 = 1;
    /// Two warps of a block.
    pub const IN_A_BLOCK: u32 = 2;
    /// Two blocks.
    pub const IN_A_GRID: u32 = 3;
    /// In shared memory.
    pub const OF_SHARED: u32 = 4;
    /// Both wrote the same.
    pub const SAME_VALUE: u32 = 8;
    /// Lanes of one instruction.
    pub const ONE_INSTRUCTION: u32 = 16;
    /// The lane that came first is among those that the second access is made with.
    pub const LANE_IS_HERE: u32 = 32;
    /// The two are ordered, and one goes by the read-only path.
    pub const ORDERED_ANYWAY: u32 = 64;
    /// The instruction of the first access was executed by another thread than the one that is named, which has read the location, too.
    pub const BY_ANOTHER: u32 = 128;
}

/// How an access is made. Its bytes are above [`BYTES_PLACE`](hows::BYTES_PLACE).
pub(crate) mod hows {
    /// It writes.
    pub(crate) const WRITES: u32 = 1;
    /// It is an atomic update.
    pub(crate) const UPDATES: u32 = 2;
    /// And does not return what was there.
    pub(crate) const RETURNS_NOTHING: u32 = 4;
    /// Shared memory has entries of updates.
    pub(crate) const HAS_UPDATES: u32 = 8;
    /// It reads by the read-only path.
    pub(crate) const BY_READ_ONLY_PATH: u32 = 16;
    /// In shared memory. Only the device sets it.
    #[cfg(any(test, feature = "device-sources"))]
    pub(crate) const IN_SHARED: u32 = 32;
    /// It is volatile.
    pub(crate) const VOLATILE: u32 = 64;
    /// The kernel has volatile stores of shared memory.
    pub(crate) const HAS_VOLATILE: u32 = 128;
    /// And volatile loads, which see what those store.
    pub(crate) const HAS_VOLATILE_LOADS: u32 = 256;
    /// Where its bytes stand.
    pub(crate) const BYTES_PLACE: u32 = 9;
}

/// How one of several accesses of whole lines is made: its site, and these.
pub(crate) mod lines {
    /// The bits of the site.
    #[cfg(any(test, feature = "device-sources"))]
    pub(crate) const SITE: u32 = 0xFFF;
    /// Where its shape stands: the bytes of a lane as a power of two, less 2, and the first lane of the line in eighths.
    pub(crate) const SHAPE_PLACE: u32 = 12;
    /// It writes.
    pub(crate) const WRITES: u32 = 1 << 17;
    /// It reads by the read-only path.
    pub(crate) const BY_READ_ONLY_PATH: u32 = 1 << 18;
    /// Where the site of a read stands, and 1 more, that comes before a write of the same line.
    pub(crate) const READ_PLACE: u32 = 19;
}

/// What a kernel needs at a launch where hb's entries are kept.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct EntriesUse {
    /// Intervals between barriers that a block has at most; 0 if that is not known.
    pub intervals: u32,
    /// Entries of shared memory, if the kernel has any.
    pub shared: Option<SharedEntries>,
    /// Some accesses are not expected to be of whole lines.
    pub scatters: bool,
    /// Barriers of parts of a warp, if there are any.
    pub tiles: Option<Tiles>,
}

/// Barriers of parts of a warp: all of them are for tiles of one size, aligned groups of lanes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Tiles {
    /// The power of two of a tile's lanes: less than that of a warp, and not 0.
    pub shift: u32,
    /// There are barriers of whole warps, too.
    pub beside_whole: bool,
}

impl EntriesUse {
    /// Bits of an identity that are the interval; so many where nobody knows how many intervals a block has.
    pub fn interval_bits(&self, if_unknown: u32) -> u32 {
        match self.intervals {
            0 => if_unknown,
            known => 32 - (known - 1).leading_zeros(),
        }
    }
}

/// Bytes behind shared memory that say where its entries are, if they are in a slot: their address, the slot's own, and how many threads have left.
pub(crate) const SLOT_WORDS: u64 = 32;
/// Slots are free or taken, four bytes for each; their entries begin behind these, at a multiple of so many bytes.
pub const SLOT_ALIGNMENT: u64 = 256;

/// Entries of shared memory, which lie behind it, or in a slot.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SharedEntries {
    /// Bytes that share entries, as a power of two.
    pub granule_shift: u32,
    /// Bytes of these entries, likewise.
    pub entry_shift: u32,
    /// Bytes of all variables in shared memory, at most.
    pub static_bytes: u32,
    /// They are in a slot of global memory.
    pub in_slot: bool,
}

/// Bytes of the entries of a granule as a power of two: who stored last (`device/hb_owners.h`); a writer and a reader; and an updater, too, where there are atomics.
pub(super) const OWNER_ENTRY_SHIFT: u32 = 2;
pub(super) const PLAIN_ENTRY_SHIFT: u32 = 4;
pub(super) const UPDATED_ENTRY_SHIFT: u32 = 5;

/// Above that power, for checks that ask: entries are in a slot.
pub(crate) const IN_SLOT: u32 = 1 << 8;

/// Where an entry has the epoch of its warp, the last one that there is, and the flag that epochs were used again.
pub(crate) const EPOCH_PLACE: u32 = 15;
pub(crate) const LAST_EPOCH: u32 = 0x7F;
pub(crate) const EPOCHS_AGAIN: u32 = 2;

impl SharedEntries {
    /// Whether some of them are of atomic updates.
    pub(crate) fn has_updates(&self) -> bool {
        self.entry_shift == UPDATED_ENTRY_SHIFT
    }

    /// Whether they say who stored last, and nothing else: loads are not checked.
    pub(crate) fn is_of_owners(&self) -> bool {
        self.entry_shift == OWNER_ENTRY_SHIFT
    }

    /// Bytes of the entries of so many bytes of shared memory, and of a site for each that another reader has.
    fn bytes(&self, shared: u32) -> u64 {
        let granules = u64::from(shared) >> self.granule_shift;
        let sites = if self.is_of_owners() { 0 } else { granules * 2 };
        (granules << self.entry_shift) + sites
    }

    /// Bytes that a block has behind so many bytes of shared memory.
    pub fn bytes_behind(&self, shared: u32) -> u64 {
        if self.in_slot { SLOT_WORDS } else { self.bytes(shared) }
    }

    /// Bytes of a slot for so many bytes of shared memory, if entries are in one.
    pub fn slot_bytes(&self, shared: u32) -> Option<u64> {
        self.in_slot.then(|| self.bytes(shared).next_multiple_of(SLOT_ALIGNMENT))
    }
}

/// What entries and reports need to know of a launch: its number, the instrumented kernel's, the bits of an identity that are the interval, the tiles of
/// its warps, and the warps of a block.
pub fn launch_names(
    launch: u32,
    variant: u32,
    interval_bits: u32,
    tiles: Option<Tiles>,
    warps_per_block: u32,
) -> u64 {
    debug_assert!(interval_bits < 1 << 5 && warps_per_block < 1 << 7);
    let shift = tiles.map_or(0, |tiles| tiles.shift);
    let beside_whole = tiles.is_some_and(|tiles| tiles.beside_whole);
    u64::from(launch)
        | u64::from(variant & 0xFFFF) << 32
        | u64::from(interval_bits) << 48
        | u64::from(shift) << TILE_PLACE
        | u64::from(warps_per_block) << 56
        | u64::from(beside_whole) << BESIDE_WHOLE_PLACE
}

/// Where names have the power of two of a tile's lanes, and whether there are barriers of whole warps beside those of tiles.
pub(crate) const TILE_PLACE: u32 = 53;
pub(crate) const BESIDE_WHOLE_PLACE: u32 = 63;
