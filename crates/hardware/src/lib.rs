//! A timing model of a GPU with the hardware of ScoRD in it, driven by the event stream.
//!
//! A. K. Kamath, A. A. George, A. Basu, "ScoRD: A Scoped Race Detector for GPUs", ISCA 2020: table V has the
//! hardware, section IV the detector, section V what it costs. The paper's numbers come from a detailed
//! simulator of pipelines and caches; this model has the parts that section V blames for the costs (L1,
//! interconnect, L2, memory, and the detector's packets and metadata), and takes what warps did from a
//! recording. It says how many cycles a recording takes with and without detection, what DRAM is accessed
//! for, and what each source of cost contributes.
//!
//! What it does not do: it finds no races (`warpsan_detect` does), it computes no values, and its
//! cycles are no forecast for any GPU that was built. A warp that polls does so until the other one has
//! written, but no more often than in the recording. docs/hardware-model.md lists every number with its source.
//!
//! # Types and invariants
//!
//! - A [`Workload`] is what each warp of a recording did, without values. [`Recorder`] makes it of events.
//! - A [`Configuration`] has every number of the hardware; with a [`Detection`] in it, the detector is there, too.
//! - [`simulate`] is a function of the two: the same [`Outcome`] every time.
//! - A [`Comparison`] is the runs that one of the paper's figures needs.

mod agenda;
mod cache;
mod coalescer;
mod comparison;
mod configuration;
mod dram;
mod interconnect;
mod lru;
mod machine;
mod metadata;
mod multiprocessor;
mod outcome;
pub mod paper;
pub mod parsnip;
mod partition;
mod recorder;
#[cfg(test)]
mod stories;
mod transactions;
mod workload;

pub use comparison::{Comparison, Sensitivity, Shares, compare, overhead};
pub use configuration::{Configuration, Detection, DramTiming, LINE_BYTES, Memory, Metadata};
pub use machine::simulate;
pub use outcome::{CacheAccesses, DramAccesses, Outcome, Packets, Stalls};
pub use recorder::{MOST_ITEMS, Recorder, WorkloadError, read_trace};
pub use workload::{Size, Workload};
