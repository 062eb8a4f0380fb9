//! What judges detectors: a brute-force oracle that reads the race model off a finished trace, generators of random kernels,
//! and what compares a detector with the oracle on them.
//!
//! Nothing here needs a CUDA compiler: the kernels are PTX, and run on the CPU engine.
//!
//! # Types and invariants
//!
//! - [`oracle`] judges a finished trace. It shares no line with the detectors, and has no clocks.
//! - [`kernels`] and [`synchronised`] make random kernels from a seed: the same seed, the same kernel. They end under every schedule.
//! - [`differential`] runs a kernel, asks the detector and the oracle, and shrinks a kernel on which they differ.
//! - [`load_bearing`] switches off one rule of the detector at a time and finds a trace that shows the difference.

pub mod differential;
pub mod kernels;
pub mod load_bearing;
pub mod oracle;
pub mod random;
pub mod seeds;
pub mod synchronised;
