//! How fast the CPU engine runs kernels without a detector: instructions per second, and its time beside that of
//! `g++ -O2` code for the same algorithm.
//!
//! Times are processor times of the whole process, so neighbours on a busy machine and the number of cores that
//! the engine may use do not matter.

pub(crate) mod clock;
mod compare;
mod inputs;
pub(crate) mod machine;
pub(crate) mod measure;
mod native;
pub(crate) mod throughput;
mod workload;
mod workloads;

pub use measure::{
    AgainstNative, Throughput, against_native, geometric_mean, throughput_of_arithmetic,
    throughput_of_memory,
};
pub use native::{Native, NativeError};
pub use workload::Workload;
pub use workloads::workloads;
