//! The figures of a run, with their names: the columns of table 3.1 of the thesis, and memory.

use crate::counters::Counters;
use crate::metadata::Memory;

/// What was counted and measured, for `--stats`.
pub fn figures(
    counters: &Counters,
    memory: &Memory,
    shadow_bytes: u64,
) -> [(&'static str, f64); 11] {
    [
        ("accesses", counters.accesses() as f64),
        ("share of vector accesses", counters.share_of_vector_accesses()),
        ("allocations", counters.allocations() as f64),
        ("share of vector allocations", counters.share_of_vector_allocations()),
        ("mean reads held", counters.mean_reads_held()),
        ("mean inflated held", counters.mean_inflated_held()),
        ("vector reuse", counters.vector_reuse()),
        ("pair reuse", counters.pair_reuse()),
        ("metadata bytes peak", memory.peak as f64),
        ("metadata bytes mean", memory.mean),
        ("shadow bytes", shadow_bytes as f64),
    ]
}
