//! What judges detectors: a brute-force oracle that reads the race model off a finished trace, generators of random kernels,
//! and what compares a detector with the oracle on them.
//!
//! Nothing here needs a CUDA compiler: the kernels are PTX, and run on the CPU engine.

pub mod differential;
pub mod kernels;
pub mod load_bearing;
pub mod oracle;
pub mod random;
pub mod seeds;
pub mod synchronised;
