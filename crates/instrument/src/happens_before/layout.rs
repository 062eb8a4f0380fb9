//! What host and device have in common where hb's entries are kept. `device/hb_layout.h` is printed from it.

/// Bytes of the entries of lines, for 2 MiB of addresses: 16 for each 128.
pub(crate) const LINE_ENTRIES: u64 = (2 << 20) / 8;
/// The same with the sites of other readers, two bytes for each line.
pub(crate) const LINE_ENTRIES_OF_CHUNK: u64 = LINE_ENTRIES / 8 * 9;
/// Bytes of a record of the pools: a line kept in words, and a word kept in bytes. Each part has 16, and two for the site of another reader.
pub const RECORD_BYTES: [u64; 2] = [32 * 18, 80];
/// Instructions that entries can name.
pub(crate) const MOST_SITES: usize = 1 << 12;

/// The device's side of the entries: pools of records for lines in words and words in bytes.
#[repr(C)]
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct EntriesHead {
    /// The records of lines that are kept in words. Number 0 is none.
    pub words: u64,
    /// The records of words that are kept in bytes, likewise.
    pub bytes: u64,
    /// The device's side of the reports.
    pub reports: u64,
    /// Records of each pool.
    pub capacity: [u32; 2],
    /// So many of them are in use.
    pub taken: [u32; 2],
    /// One of each that was taken for nothing.
    pub spare: [u32; 2],
    /// What was lost: [`entry_gaps`].
    pub gaps: u32,
    /// Always 0.
    pub nothing: u32,
}

impl EntriesHead {
    /// Bytes of the whole.
    pub const BYTES: u64 = size_of::<EntriesHead>() as u64;
    /// Where the numbers of taken records stand, with the spare ones behind them.
    pub const TAKEN: u64 = std::mem::offset_of!(EntriesHead, taken) as u64;
    /// Where the gaps stand.
    pub const GAPS: u64 = std::mem::offset_of!(EntriesHead, gaps) as u64;

    /// As it lies in the device's memory.
    pub fn words(&self) -> [u64; 7] {
        let pair = |[low, high]: [u32; 2]| u64::from(low) | u64::from(high) << 32;
        [
            self.words,
            self.bytes,
            self.reports,
            pair(self.capacity),
            pair(self.taken),
            pair(self.spare),
            pair([self.gaps, self.nothing]),
        ]
    }
}

const _: () = assert!(size_of::<EntriesHead>() == 56);

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
    /// Where its bytes stand.
    pub(crate) const BYTES_PLACE: u32 = 8;
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

/// Entries of shared memory, which lie behind it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SharedEntries {
    /// Bytes that share entries, as a power of two.
    pub granule_shift: u32,
    /// Bytes of these entries, likewise.
    pub entry_shift: u32,
    /// Bytes of all variables in shared memory, at most.
    pub static_bytes: u32,
}

/// Bytes of the entries of a granule as a power of two: a writer and a reader, and an updater where there are atomics.
pub(super) const PLAIN_ENTRY_SHIFT: u32 = 4;
pub(super) const UPDATED_ENTRY_SHIFT: u32 = 5;

impl SharedEntries {
    /// Whether some of them are of atomic updates.
    pub(crate) fn has_updates(&self) -> bool {
        self.entry_shift == UPDATED_ENTRY_SHIFT
    }

    /// Bytes of the entries of so many bytes of shared memory, and of a site for each that another reader has.
    pub fn bytes(&self, shared: u32) -> u64 {
        let granules = u64::from(shared) >> self.granule_shift;
        (granules << self.entry_shift) + granules * 2
    }
}

/// What entries and reports need to know of a launch: its number, the instrumented kernel's, the bits of an identity that are the interval, and
/// the warps of a block.
pub fn launch_names(launch: u32, variant: u32, interval_bits: u32, warps_per_block: u32) -> u64 {
    u64::from(launch)
        | u64::from(variant & 0xFFFF) << 32
        | u64::from(interval_bits & 0xFF) << 48
        | u64::from(warps_per_block) << 56
}
