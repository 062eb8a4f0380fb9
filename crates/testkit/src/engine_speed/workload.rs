//! What is run: buffers, and kernels over them.

use super::compare::Elements;

/// An argument of a kernel.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Argument {
    /// The address of a buffer of the workload.
    Buffer(usize),
    /// A whole number.
    U32(u32),
    /// A floating-point number.
    F32(f32),
}

/// One launch.
#[derive(Debug, Clone)]
pub(crate) struct WorkloadLaunch {
    pub(crate) kernel: &'static str,
    pub(crate) grid: (u32, u32),
    pub(crate) block: (u32, u32),
    pub(crate) arguments: Vec<Argument>,
}

/// An algorithm with its input.
#[derive(Debug, Clone)]
pub struct Workload {
    /// The name of its files, and of the function in the native code.
    pub name: &'static str,
    /// Its input in a few words.
    pub size: String,
    /// What the buffers hold at the start.
    pub(crate) buffers: Vec<Vec<u8>>,
    /// Which buffer is the result.
    pub(crate) output: usize,
    pub(crate) elements: Elements,
    pub(crate) launches: Vec<WorkloadLaunch>,
    /// What the native function gets beside the buffers.
    pub(crate) numbers: Vec<u32>,
    /// How often the native function is called for one measurement: some take less than a millisecond.
    pub(crate) native_calls: u32,
}
