//! What a GPU does for a detector, and what it finds. Nothing here knows how kernels are instrumented: `runtime` turns
//! a request into a plan of checks.

use crate::last_access::sides::Side;
use warpsan_model::Space;

/// What a detector asks of a GPU.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DeviceRequest {
    /// The device keeps metadata of every location and checks each access against it.
    Metadata(MetadataRequest),
    /// The device keeps entries of lines of memory, as hb has them, and checks each access against them. It ships the kernels whose blocks may
    /// meet.
    Entries,
    /// The device keeps sets of what threads and blocks accessed, and compares these. It ships the kernels that sets
    /// are not for.
    Sets {
        /// Blocks are compared at each barrier, and not when the kernel has ended.
        eager: bool,
        /// Bytes of the GPU's memory for the sets of a stream; a part of all of it unless that is said.
        bytes: Option<u64>,
    },
    /// The device runs kernels on private copies of what they write, and compares values.
    Copies(CopiesRequest),
    /// The device ships its operations to the detector on the host.
    Ship {
        /// Also loads of what a thread has accessed in the same basic block.
        repeated_loads: bool,
    },
    /// The device ships its operations, and only for a trace.
    Record,
    /// The device looks metadata up and does not use it: what instrumentation itself costs.
    LookupOnly,
}

impl DeviceRequest {
    /// Whether the detector itself runs on the host, at least for some kernels.
    pub fn checks_on_host(self) -> bool {
        matches!(self, DeviceRequest::Ship { .. } | DeviceRequest::Entries)
    }
}

/// How the device is to keep metadata.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MetadataRequest {
    /// The bytes that share an entry: a power of two up to 16.
    pub granularity: u8,
    /// The accessors that an entry remembers, the last one included.
    pub history: u8,
    /// One lane checks for all lanes of an instruction that load from, or atomically update, the same address.
    pub coalescing: bool,
    /// What several blocks use in the same way is checked, but not noted again.
    pub sharing: bool,
    /// Threads that want the same metadata wait longer and longer.
    pub backoff: bool,
    /// Operations are checked one after the other, and shipped in that order.
    pub ordered: bool,
}

/// How the device is to run kernels on private copies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CopiesRequest {
    /// Copies at most; one for each warp or block unless that is said.
    pub copies: Option<u32>,
    /// Bytes of the GPU's memory for copies; a part of what is free unless that is said.
    pub bytes: Option<u64>,
    /// What comes after a race in the same launch is checked, too.
    pub goes_on: bool,
    /// The time of each part of a launch is measured.
    pub times: bool,
}

/// A race that a device found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DeviceFinding {
    /// The rule that found it, by the number that the device's code has for it.
    pub rule: u32,
    /// The memory that both accessed.
    pub space: Space,
    /// The first byte that both accessed; in shared memory, an offset.
    pub address: u64,
    /// What is known of how the two met, where the rule does not say it.
    pub met: MetOnDevice,
    /// The two accesses: the one that was remembered, and the one that was checked.
    pub sides: [Side; 2],
    /// What a race by values has besides.
    pub by_values: Option<ByValues>,
}

/// How two accesses met on a device that keeps entries.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct MetOnDevice {
    /// Both wrote the same bytes.
    pub same_value: bool,
    /// They are lanes of one instruction.
    pub one_instruction: bool,
    /// Lanes of a warp that have executed one of the accesses together.
    pub converged: bool,
    /// The two are ordered, and one of them goes by the read-only path.
    pub ordered: bool,
    /// One of them goes by the read-only path.
    pub read_only_path: bool,
    /// Which of them are sides of asynchronous copies.
    pub copies: [bool; 2],
}

/// Where values differed, and how far that went.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ByValues {
    /// The barriers around the region, by their sites; none where the kernel begins or ends.
    pub region: (Option<u32>, Option<u32>),
    /// Warps or blocks that were part of it, or groups of them.
    pub units: u64,
    /// Bytes that differ.
    pub bytes: u64,
    /// It showed in values of registers, or in what was stored where nothing is copied.
    pub in_registers: bool,
}

/// A device names a rule that the detector does not have: a bug of warpsan.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a device reported a race by rule {rule}, which its detector does not have")]
pub struct UnknownRule {
    /// The number that came from the device.
    pub rule: u32,
}
