//! Where the parts of a queue lie.

/// A counter alone on its line, so that who counts one does not disturb who counts another.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
#[repr(C, align(128))]
pub struct Line {
    /// The counter.
    pub value: u64,
}

/// The counters of a queue that only the device counts: they lie in its own memory, since atomics on the
/// host's memory take long. All begin at 0 and are set to the read head between launches, if at all.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
#[repr(C)]
pub struct DeviceHeads {
    /// Slots that were ever reserved.
    pub write_head: Line,
    /// Slots that were ever committed.
    pub commit_index: Line,
    /// The read head when somebody last looked: never ahead of it.
    pub known_read_head: Line,
}

/// A queue as the device gets it; there is an array of these, and a block uses the one of its linear number
/// modulo the length.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
#[repr(C)]
pub struct QueueDescriptor {
    /// The address of the [`DeviceHeads`].
    pub heads: u64,
    /// The address of the read head: a [`Line`] in page-locked memory of the host, who writes it.
    pub read_head: u64,
    /// The address of the ready words: 64 bits for each slot, in page-locked memory. That of the slot with
    /// index `i` is `i + 1` once it is committed, and what an earlier round left until then. They begin
    /// at 0.
    pub ready: u64,
    /// The address of the slots, in page-locked memory.
    pub slots: u64,
    /// How many slots there are: a power of two, of at least 64.
    pub capacity: u64,
}

const _: () = assert!(size_of::<Line>() == 128 && size_of::<DeviceHeads>() == 384);
const _: () = assert!(size_of::<QueueDescriptor>() == 40);
