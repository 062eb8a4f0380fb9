//! Races as the device reports them.

use std::mem::offset_of;

/// One race. `device/report_layout.h` is printed from it.
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
    /// What LD adds: bytes in the lower half, then the barriers around the region, each its site and 1 in 16 bits.
    pub more: u64,
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

    /// Who raced, where sets are compared: 1 for two lanes of a warp, 2 for two warps of a block, 3 for two blocks.
    pub fn class(&self) -> u32 {
        self.rule & 3
    }

    /// Whether it was in shared memory, where sets are compared.
    pub fn is_in_shared(&self) -> bool {
        self.rule & 4 != 0
    }

    /// The barriers around the region that LD found it in, by their sites.
    pub fn region(&self) -> (Option<u32>, Option<u32>) {
        let site =
            |shift: u32| (self.more >> shift & 0xFFFF).checked_sub(1).map(|site| site as u32);
        (site(32), site(48))
    }

    /// Bytes that differ, of a race by values.
    pub fn bytes(&self) -> u64 {
        self.more & u64::from(u32::MAX)
    }

    /// Warps or blocks that were part of a race by values, or groups of them.
    pub fn units(&self) -> u64 {
        u64::from(self.mask)
    }

    /// Whether a race by values was in shared memory.
    pub fn raced_in_shared(&self) -> bool {
        self.rule & value_rules::IN_SHARED != 0
    }

    /// Whether a race by values showed in registers only.
    pub fn raced_in_registers(&self) -> bool {
        self.rule & value_rules::IN_REGISTERS != 0
    }

    /// Values differed, and the logged runs did not see two accesses that explain it.
    pub fn is_unexplained(&self) -> bool {
        self.rule & value_rules::UNSEEN != 0
    }

    /// What values showed, and who raced, of a race by values: 1 or 2 in the lowest two bits, 1 or 2 in the next two.
    pub fn value_rule(&self) -> u32 {
        self.rule & 15
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

/// Bits of the rule of a race by values, above what values showed.
pub(crate) mod value_rules {
    #[cfg(any(test, feature = "device-sources"))]
    pub(crate) const WARPS: u32 = 1 << 2;
    #[cfg(any(test, feature = "device-sources"))]
    pub(crate) const BLOCKS: u32 = 2 << 2;
    pub(crate) const IN_SHARED: u32 = 16;
    pub(crate) const IN_REGISTERS: u32 = 32;
    pub(crate) const UNSEEN: u32 = 64;
}

/// Where metadata has the lane of an accessor.
pub(crate) const LANE_SHIFT: u32 = 26;
/// Where it has the warp.
pub(crate) const WARP_SHIFT: u32 = 31;

fn thread_of(accessor: u64) -> (u32, u32) {
    ((accessor >> WARP_SHIFT) as u32 & 0xFF_FFFF, (accessor >> LANE_SHIFT) as u32 & 31)
}

/// The device's side of the reports. `device/report_layout.h` is printed from it.
#[repr(C)]
#[derive(Debug)]
pub struct Reports {
    /// The address of the ring, in memory of the host.
    pub ring: u64,
    /// How many reports the ring has room for.
    pub capacity: u32,
    /// The next free place of the ring.
    pub head: u32,
    /// How many reports found no place.
    pub lost: u32,
    pub(crate) unused: u32,
    /// The kinds that were seen, by their hash.
    pub kinds: [u64; Reports::KINDS],
    /// How often each was seen.
    pub counts: [u32; Reports::KINDS],
}

impl Reports {
    /// Kinds of races that are distinguished.
    pub const KINDS: usize = 4096;
    /// Where the address of the ring stands.
    pub const RING: usize = offset_of!(Reports, ring);
    /// Where the ring's capacity stands, and behind it the next free place.
    pub const CAPACITY: usize = offset_of!(Reports, capacity);
    /// Where the number of reports stands that found no place.
    pub const LOST: usize = offset_of!(Reports, lost);
    /// Where the counts begin.
    pub const COUNTS_OFFSET: usize = offset_of!(Reports, counts);
    /// Bytes of the whole.
    pub const BYTES: usize = size_of::<Reports>();
}

const _: () = assert!(size_of::<DeviceReport>() == 64);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_thread_is_found_in_what_metadata_keeps_of_it() {
        let accessor = 0x1234_u64 << 31 | 17 << 26 | 0x3FF_FFFF;
        let report =
            DeviceReport { accessor, previous: 5 << 31, rule: 0x0204, ..Default::default() };
        assert_eq!(report.thread(), (0x1234, 17));
        assert_eq!(report.previous_thread(), (5, 0));
        assert_eq!(report.rule_number(), 4);
    }
}
