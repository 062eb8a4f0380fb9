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

    /// Who raced, where sets are compared: 1 for two lanes of a warp, 2 for two warps of a block, 3 for two blocks.
    pub fn class(&self) -> u32 {
        self.rule & 3
    }

    /// Whether it was in shared memory, where sets are compared.
    pub fn is_in_shared(&self) -> bool {
        self.rule & 4 != 0
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
        let layout = include_str!("../device/layout.h");
        assert!(layout.contains("LANE = 26, WARP = 31;"), "where both look for it");
    }

    #[test]
    fn both_sides_have_the_same_fields() {
        let header = include_str!("../device/report.h");
        let fields_of = |name: &str| -> Vec<(&str, &str)> {
            let body = header.split_once(&format!("struct {name} {{")).map_or("", |(_, rest)| rest);
            let body = body.split_once("};").map_or("", |(body, _)| body);
            let lines = body.lines().filter_map(|line| line.trim().split_once(';'));
            lines.filter_map(|(field, _)| field.rsplit_once(' ')).collect()
        };
        let bytes = |ty: &str| match ty {
            "u64" => 8,
            "u32" => 4,
            "Report" => 8,
            other => panic!("{other}"),
        };
        let total: usize = fields_of("Report").iter().map(|(ty, _)| bytes(ty)).sum();
        assert_eq!(total, size_of::<DeviceReport>());
        let mut offset = 0;
        let mut places = std::collections::HashMap::new();
        for (ty, name) in fields_of("Reports") {
            places.insert(name.trim_start_matches('*'), offset);
            offset += bytes(ty) * if name.contains("[KINDS]") { Reports::KINDS } else { 1 };
        }
        assert_eq!(places["ring"], Reports::RING);
        assert_eq!(places["capacity"], Reports::CAPACITY);
        assert_eq!(places["lost"], Reports::LOST);
        assert_eq!(places["kinds[KINDS]"], Reports::KINDS_OFFSET);
        assert_eq!(places["counts[KINDS]"], Reports::COUNTS_OFFSET);
        assert_eq!(offset, Reports::BYTES);
        assert!(header.contains(&format!("KINDS = {};", Reports::KINDS)));
    }
}
