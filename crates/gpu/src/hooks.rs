//! What the engine learns of a program's calls to the driver, and what it may change.
//!
//! The forwarder calls one method of [`Hooks`] around each real call that matters. It calls none for calls that
//! the engine itself makes through [`Driver`](crate::Driver), none for those that the driver makes of itself,
//! and none in a forked child of a process that has used CUDA. Any thread may call.

use crate::driver_structures::{CUlaunchAttribute, KernelNodeParams};
use crate::driver_types::{
    CUcontext, CUdevice, CUdeviceptr, CUfunction, CUgraph, CUgraphExec, CUgraphNode,
    CUjitInputType, CUlibrary, CUmodule, CUresult, CUstream,
};
use crate::order_steps::OrderStep;
use std::ffi::{c_int, c_void};
use std::path::Path;
use std::sync::Arc;
use warpsan_model::WARP_LANES;

/// Something that code was loaded into.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum CodeContainer {
    /// A module of the current context.
    Module(CUmodule),
    /// A library of the process.
    Library(CUlibrary),
}

/// Where code that was loaded comes from.
#[derive(Debug, Clone, Copy)]
pub enum CodeSource<'a> {
    /// An image in memory: a fat binary or the wrapper of one, machine code, or PTX text that ends with a
    /// zero. How long it is the image itself says.
    Image {
        /// Where it begins. It can be read during the call.
        start: *const c_void,
        /// The program promises that it stays there until the code is unloaded.
        stays: bool,
    },
    /// A file with such an image.
    File(&'a Path),
    /// Machine code that the driver has linked of pieces; what they were.
    Linked {
        /// The machine code, readable during the call.
        start: *const c_void,
        /// What it was linked of, in order.
        pieces: &'a [LinkedPiece],
    },
}

/// One piece of code that was given to the driver's linker.
#[derive(Debug, Clone)]
pub struct LinkedPiece {
    /// What it is.
    pub kind: CUjitInputType,
    /// The name that the program gave it, or that of its file.
    pub name: String,
    /// Its bytes.
    pub bytes: Arc<[u8]>,
}

/// How memory was had.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum AllocationKind {
    /// From the device.
    Device,
    /// From the device, in the order of a stream.
    StreamOrdered,
    /// Shared by host and devices, and moved between them.
    Managed,
    /// Page-locked memory of the host.
    Host,
    /// Memory of the program that was page-locked later.
    Registered,
    /// Mapped to addresses that the program has reserved.
    Mapped,
    /// Memory of another process.
    OtherProcess,
    /// Memory of another interface, as of graphics.
    External,
    /// Memory that a graph takes when it runs.
    Graph,
}

/// Memory that the device can use from now on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Allocation {
    /// Where it begins, as the device knows it.
    pub address: CUdeviceptr,
    /// How large it is, as far as the program has asked for it.
    pub bytes: u64,
    /// How it was had.
    pub kind: AllocationKind,
    /// The stream in whose order it was had, with [`AllocationKind::StreamOrdered`].
    pub stream: CUstream,
}

/// Memory that is given back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Freed {
    /// Where it begins.
    pub address: CUdeviceptr,
    /// How much of it, where the call says so; else all of the allocation.
    pub bytes: Option<u64>,
    /// The stream in whose order it is given back, if one was named.
    pub stream: Option<CUstream>,
}

/// Which call a launch comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LaunchSource {
    /// A launch in a stream, which may be capturing.
    Stream,
    /// One launch of several that were asked for together, on as many devices.
    SeveralDevices,
    /// A kernel node that is added to a graph. The real call fills [`LaunchCall::node`].
    NewNode(CUgraph),
    /// New parameters for a node of a graph.
    Node,
    /// New parameters for a node of a graph that can be launched already.
    NodeOf(CUgraphExec),
}

/// A launch, whichever function of the driver it was asked of.
#[derive(Debug, Clone)]
pub struct LaunchCall {
    /// Where it comes from.
    pub source: LaunchSource,
    /// The kernel: a function of a module, or a [`CUkernel`](crate::CUkernel) of a library as the same number.
    pub function: CUfunction,
    /// The context that it runs in, where a node of a graph names one; else null.
    pub context: CUcontext,
    /// Blocks of the grid.
    pub grid: [u32; 3],
    /// Threads of a block.
    pub block: [u32; 3],
    /// Bytes of dynamic shared memory.
    pub shared_bytes: u32,
    /// The stream; of no meaning to a node.
    pub stream: CUstream,
    /// A null stream is the default stream of the calling thread.
    pub per_thread_default_stream: bool,
    /// An array of pointers to the parameters, or null.
    pub parameters: *mut *mut c_void,
    /// The parameters in one buffer (a list that ends with zero), or null.
    pub extra: *mut *mut c_void,
    /// All blocks must be able to run at the same time, whether an attribute or the call says so.
    pub cooperative: bool,
    /// The attributes. A launch that had none may get some.
    pub attributes: Vec<CUlaunchAttribute>,
    /// The node of a graph; null before it is made, and for launches in streams.
    pub node: CUgraphNode,
}

impl LaunchCall {
    /// The value of an attribute, if the launch has it.
    pub fn attribute(&self, id: u32) -> Option<&CUlaunchAttribute> {
        self.attributes.iter().find(|attribute| attribute.id == id)
    }

    /// Blocks of a cluster, if the launch says so.
    pub fn cluster(&self) -> Option<[u32; 3]> {
        self.attribute(CUlaunchAttribute::CLUSTER_DIMENSION).map(CUlaunchAttribute::numbers)
    }

    /// The stream by a name that means the same in calls of every kind.
    pub fn named_stream(&self) -> CUstream {
        match self.per_thread_default_stream && self.stream.is_null() {
            true => CUstream::PER_THREAD,
            false => self.stream,
        }
    }

    /// Blocks of the whole grid.
    pub fn blocks(&self) -> u64 {
        self.grid.iter().map(|count| u64::from(*count)).product()
    }

    /// Threads of one block.
    pub fn threads_of_block(&self) -> u64 {
        self.block.iter().map(|count| u64::from(*count)).product()
    }

    /// Warps of one block.
    pub fn warps_of_block(&self) -> u32 {
        self.threads_of_block().div_ceil(u64::from(WARP_LANES)) as u32
    }
}

/// A context that ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ContextEnd {
    /// It is destroyed.
    Destroyed(CUcontext),
    /// The primary context of a device is reset, whoever else uses it.
    PrimaryReset(CUdevice),
    /// One user less of the primary context of a device, which ends with the last.
    PrimaryReleased(CUdevice),
}

/// What the engine does around calls of the driver. Every method does nothing by itself, so that the program runs
/// as it would without us.
pub trait Hooks: Send + Sync {
    /// The driver was started, which the program may do more than once.
    fn started(&self) {}

    /// A context was made, or another user of a device's primary context is there.
    fn context_made(&self, context: CUcontext) {
        let _ = context;
    }

    /// A context ends by `real`, which must be called once, with all that was loaded and allocated in it.
    fn context_ends(&self, end: ContextEnd, real: &mut dyn FnMut() -> CUresult) -> CUresult {
        let _ = end;
        real()
    }

    /// Kernels of the current context may use the memory of another one from now on.
    fn peer_access(&self, peer: CUcontext) {
        let _ = peer;
    }

    /// Code was loaded.
    fn code_loaded(&self, container: CodeContainer, source: CodeSource<'_>) {
        let _ = (container, source);
    }

    /// Code is about to be unloaded.
    fn code_unloads(&self, container: CodeContainer) {
        let _ = container;
    }

    /// Memory was allocated, or mapped, or made known to the device.
    fn allocated(&self, allocation: &Allocation) {
        let _ = allocation;
    }

    /// The program has asked where a variable of its code lies in the current context.
    fn variable_queried(&self, address: CUdeviceptr, bytes: u64, name: &str) {
        let _ = (address, bytes, name);
    }

    /// Memory is given back by `real`, which must be called once. Whoever keeps a table by address holds its
    /// lock around the call: afterwards the address may be somebody else's.
    fn free(&self, freed: &Freed, real: &mut dyn FnMut() -> CUresult) -> CUresult {
        let _ = freed;
        real()
    }

    /// The device has no memory left for something that the program wants, of so many bytes. Whoever can give some
    /// back does so, and says whether it is worth another attempt.
    fn make_room(&self, bytes: u64) -> bool {
        let _ = bytes;
        false
    }

    /// The program asks how much memory is free and how much there is. What is ours may be left out.
    fn memory_queried(&self, free: &mut usize, total: &mut usize) {
        let _ = (free, total);
    }

    /// The program asks for a limit of the current context, by its number. What it has not set itself may be hidden.
    fn limit_queried(&self, limit: c_int, value: &mut usize) {
        let _ = (limit, value);
    }

    /// A launch, or a kernel node of a graph. The hook may change everything in it, and what pointers lead to
    /// must live until `real` returns, which copies the parameters. `real` may be called more than once: if it
    /// fails with a kernel that was put in place, then once more with the original.
    fn launch(
        &self,
        call: &mut LaunchCall,
        real: &mut dyn FnMut(&mut LaunchCall) -> CUresult,
    ) -> CUresult {
        real(call)
    }

    /// Something runs on the device that no hook can look into: what the program called for it.
    fn not_seen(&self, what: &str) {
        let _ = what;
    }

    /// The program has done something that puts work into an order. Launches, graphs, allocations and what is given
    /// back are passed to the methods above and below alone.
    fn ordered(&self, step: OrderStep) {
        let _ = step;
    }

    /// The program asks for the parameters of a kernel node, and should see those that it gave.
    fn node_queried(&self, node: CUgraphNode, parameters: &mut KernelNodeParams) {
        let _ = (node, parameters);
    }

    /// A graph was made ready to be launched, or what could be launched already was made like a graph.
    fn graph_instantiated(&self, graph: CUgraph, executable: CUgraphExec) {
        let _ = (graph, executable);
    }

    /// A graph is about to be destroyed. What was made ready of it stays.
    fn graph_destroyed(&self, graph: CUgraph) {
        let _ = graph;
    }

    /// A graph is launched by `real`.
    fn graph_launch(
        &self,
        executable: CUgraphExec,
        stream: CUstream,
        real: &mut dyn FnMut() -> CUresult,
    ) -> CUresult {
        let _ = (executable, stream);
        real()
    }

    /// A graph that could be launched is about to be destroyed.
    fn graph_ends(&self, executable: CUgraphExec) {
        let _ = executable;
    }

    /// The process ends. The driver still works, for the last time: it ends next. Destructors of the program may
    /// still call afterwards.
    fn process_ends(&self) {}
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Nothing;

    impl Hooks for Nothing {}

    #[test]
    fn a_hook_that_does_nothing_passes_a_launch_on() {
        let mut call = LaunchCall {
            source: LaunchSource::Stream,
            function: CUfunction(1),
            context: CUcontext::NULL,
            grid: [4, 2, 1],
            block: [32, 4, 1],
            shared_bytes: 0,
            stream: CUstream::NULL,
            per_thread_default_stream: false,
            parameters: std::ptr::null_mut(),
            extra: std::ptr::null_mut(),
            cooperative: false,
            attributes: vec![CUlaunchAttribute {
                id: CUlaunchAttribute::CLUSTER_DIMENSION,
                padding: 0,
                value: [2 | 1 << 32, 1, 0, 0, 0, 0, 0, 0],
            }],
            node: CUgraphNode::NULL,
        };
        let mut seen = Vec::new();
        let result = Nothing.launch(&mut call, &mut |call| {
            seen.push((call.blocks(), call.threads_of_block(), call.cluster()));
            CUresult::LAUNCH_OUT_OF_RESOURCES
        });
        assert_eq!(result, CUresult::LAUNCH_OUT_OF_RESOURCES);
        assert_eq!(seen, [(8, 128, Some([2, 1, 1]))]);
    }
}
