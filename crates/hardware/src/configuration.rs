//! The numbers of the modelled GPU: those of the paper's table V, and ours where the paper has none.
//! docs/hardware-model.md gives the reason for each of ours.

use serde::Serialize;

/// Bytes of a line, in both caches and for the coalescer (table V).
pub const LINE_BYTES: u64 = 128;
/// Words of a line; a word is what has metadata of its own.
pub(crate) const WORDS_IN_LINE: u32 = 32;
/// Bytes of a flit of the interconnect (ours).
pub(crate) const FLIT_BYTES: u32 = 32;
/// Neighbouring lines that lie in one channel (ours: 256 bytes).
pub(crate) const LINES_IN_STRIPE: u32 = 2;

/// The timing of GDDR5 in cycles (table V; the burst and what a row holds are ours).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct DramTiming {
    /// From one activation to that of another bank.
    pub t_rrd: u64,
    /// From an activation to the first command to the row.
    pub t_rcd: u64,
    /// From an activation to the earliest precharge.
    pub t_ras: u64,
    /// From a precharge to the next activation.
    pub t_rp: u64,
    /// From one activation of a bank to its next.
    pub t_rc: u64,
    /// From a command to its data.
    pub t_cl: u64,
    /// Cycles that a line takes on the data bus.
    pub burst: u64,
    /// Banks of a channel.
    pub banks: u32,
    /// Lines of a row.
    pub lines_in_row: u32,
    /// What the controller adds to every access.
    pub controller: u64,
    /// Requests among which the controller prefers those to open rows.
    pub window: usize,
}

impl Default for DramTiming {
    fn default() -> DramTiming {
        DramTiming {
            t_rrd: 6,
            t_rcd: 12,
            t_ras: 28,
            t_rp: 12,
            t_rc: 40,
            t_cl: 12,
            burst: 8,
            banks: 16,
            lines_in_row: 16,
            controller: 40,
            window: 32,
        }
    }
}

/// Which metadata the detector keeps.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Metadata {
    /// 8 bytes for each 4 bytes: the base design.
    Full,
    /// A direct-mapped cache, with an entry that 16 neighbouring words share: the design that the paper calls ScoRD.
    Cached,
}

/// The race detector, and which of its costs take time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Detection {
    /// Which metadata there is.
    pub metadata: Metadata,
    /// Hits in the L1 wait when the buffer of their packets is full (LHD).
    pub lhd: bool,
    /// What packets carry for the detector takes room in the interconnect (NOC).
    pub noc: bool,
    /// Metadata is read and written through the L2 (MD).
    pub md: bool,
}

impl Detection {
    /// All costs count.
    pub fn with(metadata: Metadata) -> Detection {
        Detection { metadata, lhd: true, noc: true, md: true }
    }
}

/// How much L2 and memory bandwidth there is, for figure 11.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Memory {
    /// Half of the default.
    Low,
    /// Table V.
    Default,
    /// Twice the default.
    High,
}

/// A whole GPU.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Configuration {
    /// Streaming multiprocessors (table V).
    pub multiprocessors: u32,
    /// Blocks that one runs at a time (table V).
    pub blocks_per_multiprocessor: u32,
    /// Warps that one runs at a time (table V); at most 64.
    pub warps_per_multiprocessor: u32,
    /// Instructions that stand between two of the event stream (ours).
    pub instructions_between: u64,
    /// Instructions that a multiprocessor issues in a cycle: one of each scheduler (Fermi has two).
    pub issued_in_a_cycle: u64,
    /// Bytes of an L1 (table V).
    pub l1_bytes: u64,
    /// Lines of a set of the L1 (table V).
    pub l1_ways: u32,
    /// Cycles from a hit in the L1 to its value (ours).
    pub l1_latency: u64,
    /// Requests of one multiprocessor that may be on their way (ours).
    pub outstanding_requests: u32,
    /// Cycles through the interconnect, one way (ours).
    pub network_latency: u64,
    /// Bytes of the whole L2 (table V).
    pub l2_bytes: u64,
    /// Lines of a set of the L2 (table V).
    pub l2_ways: u32,
    /// Cycles from a hit in the L2 to its answer (ours).
    pub l2_latency: u64,
    /// Channels of memory, each with its part of the L2 (table V).
    pub channels: u32,
    /// Memory behind a channel.
    pub dram: DramTiming,
    /// Packets of hits in the L1 that one multiprocessor may have on their way to the detector (ours).
    pub hit_buffer: u32,
    /// Flits that the detector's information adds to a packet (ours).
    pub information_flits: u32,
    /// Lookups that the detector may have under way for packets that came in at one partition (ours).
    pub lookups_per_partition: u32,
    /// Accesses of the L2 that a lookup takes: the entries are read, and written (ours).
    pub accesses_of_lookup: u32,
    /// The race detector, if there is one.
    pub detection: Option<Detection>,
}

impl Default for Configuration {
    fn default() -> Configuration {
        Configuration {
            multiprocessors: 15,
            blocks_per_multiprocessor: 8,
            warps_per_multiprocessor: 32,
            instructions_between: 4,
            issued_in_a_cycle: 2,
            l1_bytes: 16 * 1024,
            l1_ways: 4,
            l1_latency: 20,
            outstanding_requests: 64,
            network_latency: 20,
            l2_bytes: 1536 * 1024,
            l2_ways: 8,
            l2_latency: 40,
            channels: 12,
            dram: DramTiming::default(),
            hit_buffer: 32,
            information_flits: 1,
            lookups_per_partition: 64,
            accesses_of_lookup: 2,
            detection: None,
        }
    }
}

impl Configuration {
    /// The default with this much memory.
    pub fn of(memory: Memory) -> Configuration {
        let default = Configuration::default();
        let (l2_bytes, channels) = match memory {
            Memory::Low => (default.l2_bytes / 2, default.channels / 2),
            Memory::Default => (default.l2_bytes, default.channels),
            Memory::High => (default.l2_bytes * 2, default.channels * 2),
        };
        Configuration { l2_bytes, channels, ..default }
    }

    /// Cycles that an instruction of the stream takes, with those in between.
    pub(crate) fn turn(&self) -> u64 {
        (1 + self.instructions_between).div_ceil(self.issued_in_a_cycle.max(1))
    }

    /// The same with this detector.
    pub fn detecting(self, detection: Detection) -> Configuration {
        Configuration { detection: Some(detection), ..self }
    }
}
