//! What a run of the model has measured.

use serde::Serialize;

/// Accesses of DRAM, which are lines that the L2 misses or writes back.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct DramAccesses {
    /// Lines of the program that were read.
    pub data_reads: u64,
    /// Lines of the program that were written back.
    pub data_writes: u64,
    /// Lines of metadata that were read.
    pub metadata_reads: u64,
    /// Lines of metadata that were written back.
    pub metadata_writes: u64,
}

impl DramAccesses {
    /// Those of the program.
    pub fn data(&self) -> u64 {
        self.data_reads + self.data_writes
    }

    /// Those of the detector.
    pub fn metadata(&self) -> u64 {
        self.metadata_reads + self.metadata_writes
    }

    /// All of them.
    pub fn total(&self) -> u64 {
        self.data() + self.metadata()
    }
}

/// Accesses of a cache.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct CacheAccesses {
    /// The line was there.
    pub hits: u64,
    /// It was not, or was on its way.
    pub misses: u64,
}

impl CacheAccesses {
    /// Hits of all accesses, between 0 and 1.
    pub fn hit_rate(&self) -> f64 {
        self.hits as f64 / (self.hits + self.misses).max(1) as f64
    }

    pub(crate) fn count(&mut self, hit: bool) {
        match hit {
            true => self.hits += 1,
            false => self.misses += 1,
        }
    }
}

/// Packets of the interconnect.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Packets {
    /// Requests to the L2.
    pub requests: u64,
    /// Their answers.
    pub answers: u64,
    /// Packets for the detector because of loads that sent no request.
    pub of_hits: u64,
    /// Packets for the detector because of fences.
    pub of_fences: u64,
    /// Flits from multiprocessors to partitions.
    pub flits_out: u64,
    /// Flits back.
    pub flits_back: u64,
}

impl Packets {
    /// All that multiprocessors have sent.
    pub fn sent(&self) -> u64 {
        self.requests + self.of_hits + self.of_fences
    }
}

/// Cycles in which a multiprocessor had an instruction and could not go on with it, of all of them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Stalls {
    /// As many requests were on their way as may be.
    pub requests: u64,
    /// The buffer for packets of hits was full.
    pub hit_buffer: u64,
    /// Packets that waited at a partition since the detector was full.
    pub packets_at_detector: u64,
}

/// One run of a workload on one configuration.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Outcome {
    /// Cycles of all launches together.
    pub cycles: u64,
    /// Instructions of the stream that were issued.
    pub operations: u64,
    /// Turns of operations that poll beside the last one of each.
    pub polls: u64,
    /// Accesses of DRAM.
    pub dram: DramAccesses,
    /// Loads at the L1s.
    pub l1: CacheAccesses,
    /// Accesses of the program at the L2.
    pub l2_data: CacheAccesses,
    /// Lookups of metadata at the L2.
    pub l2_metadata: CacheAccesses,
    /// Lookups that found the line at hand, since another one had asked for it.
    pub lookups_joined: u64,
    /// Lookups of metadata that have ended.
    pub lookups_ended: u64,
    /// Packets.
    pub packets: Packets,
    /// What had to wait.
    pub stalls: Stalls,
}
