//! Races as the device tells them.

/// One race. `device/report.h` has the same fields.
#[repr(C)]
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct DeviceReport {
    /// The granule that both accessed.
    pub address: u64,
    /// The accessor that noticed, as metadata keeps it.
    pub accessor: u64,
    /// The accessor before it.
    pub previous: u64,
    /// The instruction that noticed.
    pub site: u32,
    /// The instruction before it.
    pub previous_site: u32,
    /// The rule, 1 to 5, in the lowest byte; what kind of access noticed above it.
    pub rule: u32,
    /// The lanes that accessed together.
    pub mask: u32,
    /// The number of the launch.
    pub launch: u32,
    /// Where its occurrences are counted.
    pub slot: u32,
    unused: u64,
    /// The number of the instrumented kernel.
    pub variant: u32,
    /// Not 0 once all of it is written.
    pub ready: u32,
}

impl DeviceReport {
    /// The rule of the paper's table, R1 to R5.
    pub fn rule_number(&self) -> u32 {
        self.rule & 0xFF
    }

    /// The thread that noticed: its warp, counted in the grid, and its lane.
    pub fn thread(&self) -> (u32, u32) {
        thread_of(self.accessor)
    }

    /// The thread before it.
    pub fn previous_thread(&self) -> (u32, u32) {
        thread_of(self.previous)
    }
}

fn thread_of(accessor: u64) -> (u32, u32) {
    ((accessor >> 31) as u32 & 0xFF_FFFF, (accessor >> 26) as u32 & 31)
}

/// The device's side of the reports: `Reports` of `device/report.h`.
#[derive(Debug, Clone, Copy)]
pub struct Reports;

impl Reports {
    /// Kinds of races that are told apart.
    pub const KINDS: usize = 4096;
    /// Where the address of the ring stands, then (32 bits each) its capacity, the next free place and how many
    /// reports found no place.
    pub const RING: usize = 0;
    /// Where the ring's capacity stands.
    pub const CAPACITY: usize = 8;
    /// Where the number of reports stands that found no place.
    pub const LOST: usize = 16;
    /// Where the kinds begin.
    pub const KINDS_OFFSET: usize = 24;
    /// Where their counts begin.
    pub const COUNTS_OFFSET: usize = Self::KINDS_OFFSET + Self::KINDS * 8;
    /// Bytes of the whole.
    pub const BYTES: usize = Self::COUNTS_OFFSET + Self::KINDS * 4;
}

const _: () = assert!(size_of::<DeviceReport>() == 64);
