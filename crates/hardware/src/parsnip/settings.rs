//! What the hardware has.

use serde::Serialize;
use warpsan_thread_detect::ThreadId;

/// Every number of the machine (section 4.4).
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Settings {
    /// Cores. Threads beyond them share: thread n runs on core n modulo this.
    pub cores: usize,
    /// Lines of a core's first cache, of eight ways.
    pub l1_lines: usize,
    /// Lines of its second one, of eight ways.
    pub l2_lines: usize,
    /// Lines of the cache that all share, of 16 ways.
    pub l3_lines: usize,
    /// Cycles of a hit in the first cache, the second, another core's, the shared one, and memory.
    pub latencies: [u64; 5],
    /// Entries of a ParsnipTable, 15 at most.
    pub table_entries: usize,
    /// Cycles to look into the table of the core itself, and of another one.
    pub table_latencies: [u64; 2],
    /// Entries of an epoch store buffer; none at 0.
    pub buffer_entries: usize,
    /// Cycles of a software handler, without its accesses of caches.
    pub software_latency: u64,
    /// Cycles of the handler of a line that leaves the caches with clocks in tables. None of the six sources of figure 4.11.
    pub eviction_latency: u64,
    /// Software fills lines with accesses that it expects (section 4.3.2).
    pub predicts: bool,
    /// How long ParsnipLines stay in caches.
    pub residence: Residence,
    /// Instructions for each access of memory, the access included. The thesis counted them; a trace does not have them, and this is the
    /// median of what was counted in suites/parsnip.
    pub instructions_per_access: f64,
    /// A short cut of the thesis that misses races, to show that it does.
    pub short_cut: Option<ShortCut>,
}

/// How long ParsnipLines stay in caches (section 4.3.3).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Residence {
    /// Until they leave the first cache.
    L1,
    /// Until they leave the last cache.
    Llc,
    /// One or the other, by how many checks software makes.
    Adaptive,
}

/// Something that the thesis does and that misses races.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum ShortCut {
    /// A write by the thread of the last read looks at the primary reference alone (step 13 of table 4.2).
    OwnRead,
    /// Reads of different threads are coalesced in an epoch store buffer (section 4.3.1).
    Coalescing,
}

impl Settings {
    /// The core that a thread runs on.
    pub(super) fn core_of(&self, thread: ThreadId) -> usize {
        thread.index() % self.cores
    }

    /// Whether both are the same machine without detection.
    pub(super) fn has_caches_of(&self, other: &Settings) -> bool {
        let of = |one: &Settings| {
            let lines = [one.cores, one.l1_lines, one.l2_lines, one.l3_lines];
            (lines, one.latencies)
        };
        of(self) == of(other)
    }
}

impl Default for Settings {
    fn default() -> Settings {
        Settings {
            cores: 16,
            l1_lines: (32 << 10) / 64,
            l2_lines: (256 << 10) / 64,
            l3_lines: (32 << 20) / 64,
            latencies: [1, 10, 15, 35, 120],
            table_entries: 15,
            table_latencies: [1, 10],
            buffer_entries: 32,
            software_latency: 500,
            eviction_latency: 0,
            predicts: true,
            residence: Residence::Adaptive,
            instructions_per_access: 8.0,
            short_cut: None,
        }
    }
}
