//! What an instrumented kernel knows about its launch.

use std::mem::offset_of;

/// Bytes of a [`LaunchContext`].
pub const CONTEXT_BYTES: u32 = 264;

/// The last parameter of an instrumented kernel. `device/context_layout.h` is printed from it.
#[repr(C)]
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct LaunchContext {
    /// The first level of the shadow table.
    pub shadow_table: u64,
    /// A `u16` for each thread: how many fences it has executed. Null for kernels without.
    pub thread_fences: u64,
    /// A `u32` for each warp: its barriers. Null for kernels without.
    pub warp_barriers: u64,
    /// A `u64` for each thread: the locks it may hold. Null for kernels without compare-and-swap.
    pub thread_locks: u64,
    /// A `u64` for each warp, likewise.
    pub warp_locks: u64,
    /// The device's side of the reports.
    pub reports: u64,
    /// The number that metadata has for the launch's first warp, never 0. No other launch since the metadata was cleared
    /// has these numbers.
    pub base: u32,
    /// The longest wait between two attempts at a contended entry, in nanoseconds; 0 for no waiting.
    pub backoff_limit: u32,
    /// [`options`] in the lower half, the number of the instrumented kernel in the upper.
    pub options: u32,
    /// The number of the launch.
    pub launch: u32,
    /// Where a number lies that is added to the base, or null: a node of a graph is launched with the same parameters
    /// many times.
    pub base_place: u64,
    /// An array of `record::QueueDescriptor`, where operations are shipped.
    pub queues: u64,
    /// The table of turns of strong operations.
    pub turns: u64,
    /// The lock and the ticket of a launch with a total order, or null.
    pub order: u64,
    /// How many queues there are.
    pub queue_count: u32,
    /// The table of turns has `1 << turn_bits` words.
    pub turn_bits: u32,
    /// The warps of the grid.
    pub warps: u32,
    /// What the entries of the metadata are for ([`Shape::word`](crate::Shape::word)), for checks that take any.
    pub shape: u32,
    /// The head of CURD's sets ([`SetSizes::head`](crate::SetSizes::head)). Null for other checks.
    pub sets: u64,
    /// The first entry of the sets.
    pub set_entries: u64,
    /// So many of them have places of their own.
    pub direct_entries: u32,
    /// What entries of this launch have in their highest byte ([`set_tag`](crate::set_tag)).
    pub set_tag: u32,
    /// LD's [`CopiesHead`](crate::CopiesHead). Null for other checks.
    pub copies: u64,
    /// The first copy of what kernels write.
    pub copy_start: u64,
    /// Bytes of a copy.
    pub copy_stride: u64,
    /// Who has which copy: see [`Grouping`](crate::Grouping).
    pub copy_power: u64,
    /// Likewise.
    pub copy_count: u32,
    /// Likewise.
    pub unit_count: u32,
    /// Likewise.
    pub units: u32,
    /// Where the shared memory of a block begins.
    pub shared_start: u32,
    /// Bytes from one copy of it to the next.
    pub shared_stride: u32,
    /// hb: how many identities the launch has, from [`base`](LaunchContext::base) on.
    pub identities: u32,
    /// hb's [`EntriesHead`](crate::EntriesHead). Null for other checks.
    pub entries: u64,
    /// hb: what reports need, and how many bits of an identity are the interval ([`launch_names`](crate::launch_names)).
    pub names: u64,
    /// hb: where the entries of lines are, for each 2 MiB of addresses from [`first_chunk`](LaunchContext::first_chunk) on: the shadow table's second
    /// level without its first.
    pub line_table: u64,
    /// hb: the number of the first 2 MiB of addresses that the table has.
    pub first_chunk: u32,
    /// hb: how many it has.
    pub chunks: u32,
    /// hb: where the pages of words are, as [`EntriesHead`](crate::EntriesHead) has it.
    pub page_table: u64,
    /// hb: the number of the first 64 KiB of addresses that the table has.
    pub first_page: u32,
    /// hb: how many it has.
    pub table_pages: u32,
    /// hb: how many bits of an identity are the interval.
    pub interval_bits: u32,
    /// hb: the last interval that a block has an identity for.
    pub last_interval: u32,
    /// hb: which slots for entries of shared memory are taken, four bytes for each; behind that the slots.
    pub slots: u64,
    /// hb: how many there are.
    pub slot_count: u32,
    /// hb: bytes of one.
    pub slot_bytes: u32,
}

const _: () = assert!(size_of::<LaunchContext>() == CONTEXT_BYTES as usize);

impl LaunchContext {
    /// Where [`base`](LaunchContext::base) stands.
    pub(crate) const BASE: u32 = offset_of!(LaunchContext, base) as u32;
    /// Where [`base_place`](LaunchContext::base_place) stands.
    pub(crate) const BASE_PLACE: u32 = offset_of!(LaunchContext, base_place) as u32;
    /// Where [`copies`](LaunchContext::copies) stands.
    pub(crate) const COPIES: u32 = offset_of!(LaunchContext, copies) as u32;
    /// Where [`copy_start`](LaunchContext::copy_start) stands.
    pub(crate) const COPY_START: u32 = offset_of!(LaunchContext, copy_start) as u32;
    /// Metadata counts warps over launches: after so many it is cleared.
    pub const WARP_NUMBERS: u32 = 1 << 27;
    /// Warps of kernels that keep locks are counted from here on.
    pub const LOCKED_BASE: u32 = 1 << 27;
    /// So many of them.
    pub const LOCKED_WARP_NUMBERS: u32 = 1 << 19;
    /// The largest grid whose warps can be distinguished.
    pub const MOST_WARPS: u64 = 1 << 24;
    /// The same where locks are kept as well.
    pub const MOST_WARPS_WITH_LOCKS: u64 = 1 << 16;
}

/// Bits of [`LaunchContext::options`].
pub mod options {
    /// Every lane checks for itself, even if all load the same.
    pub const NO_COALESCING: u32 = 1;
    /// Readers of what other blocks read, too, are noted each time, and so are atomics.
    pub const NO_SHARING: u32 = 2;
    /// A logged run of LD looks up who stored to what it reads; the one before has noted that.
    pub const LOG_CHECKS: u32 = 4;
    /// The first pass of LD keeps the sums of what threads store where there are no copies.
    pub const FIRST_PASS: u32 = 8;
    /// The second pass compares them.
    pub const SECOND_PASS: u32 = 16;
}
