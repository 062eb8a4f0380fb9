//! Handles, results and numbers of the driver's interface, as `cuda.h` has them.

use std::ffi::{c_int, c_uint};

/// The answer of every function of the driver.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
#[repr(transparent)]
pub struct CUresult(pub c_int);

impl CUresult {
    /// All went well.
    pub const SUCCESS: CUresult = CUresult(0);
    /// An argument is wrong.
    pub const INVALID_VALUE: CUresult = CUresult(1);
    /// Memory is used up.
    pub const OUT_OF_MEMORY: CUresult = CUresult(2);
    /// `cuInit` was not called, or the process is the child of one that had called it.
    pub const NOT_INITIALIZED: CUresult = CUresult(3);
    /// The driver is shutting down.
    pub const DEINITIALIZED: CUresult = CUresult(4);
    /// There is no device.
    pub const NO_DEVICE: CUresult = CUresult(100);
    /// The image is damaged, or none.
    pub const INVALID_IMAGE: CUresult = CUresult(200);
    /// There is no current context, or it is no context.
    pub const INVALID_CONTEXT: CUresult = CUresult(201);
    /// The image has no code for the device.
    pub const NO_BINARY_FOR_GPU: CUresult = CUresult(209);
    /// The text is not PTX that the driver understands.
    pub const INVALID_PTX: CUresult = CUresult(218);
    /// A handle is none.
    pub const INVALID_HANDLE: CUresult = CUresult(400);
    /// Something that was named does not exist; also the answer of a function that the driver lacks.
    pub const NOT_FOUND: CUresult = CUresult(500);
    /// Work is not done yet.
    pub const NOT_READY: CUresult = CUresult(600);
    /// A launch needs more than the device has.
    pub const LAUNCH_OUT_OF_RESOURCES: CUresult = CUresult(701);
    /// More blocks than can run at the same time.
    pub const COOPERATIVE_LAUNCH_TOO_LARGE: CUresult = CUresult(720);
    /// It is not allowed here.
    pub const NOT_PERMITTED: CUresult = CUresult(800);
    /// The device or the driver cannot do it.
    pub const NOT_SUPPORTED: CUresult = CUresult(801);
    /// Nobody knows.
    pub const UNKNOWN: CUresult = CUresult(999);

    /// Whether a kernel did something that has stopped everything in its context: a wrong address or instruction, an assertion.
    pub const fn is_fault(self) -> bool {
        matches!(self.0, 700 | 702 | 710 | 714..=719)
    }

    /// Whether all went well.
    pub const fn is_success(self) -> bool {
        self.0 == 0
    }

    /// Nothing, or what went wrong.
    pub const fn ok(self) -> Result<(), CUresult> {
        if self.is_success() { Ok(()) } else { Err(self) }
    }
}

impl std::fmt::Debug for CUresult {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "CUresult({})", self.0)
    }
}

/// An address on the device.
pub type CUdeviceptr = u64;

/// The number of a device.
pub type CUdevice = c_int;

/// Physical memory of `cuMemCreate`.
pub type CUmemGenericAllocationHandle = u64;

/// Handles are pointers into the driver, which nobody else may look behind: here they are numbers, so that
/// they can be compared, kept and handed to other threads.
macro_rules! handles {
    ($($(#[$documentation:meta])* $name:ident;)*) => {$(
        $(#[$documentation])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[repr(transparent)]
        pub struct $name(pub usize);

        impl $name {
            /// The handle of nothing, which some functions read as a default.
            pub const NULL: $name = $name(0);

            /// Whether it is the handle of nothing.
            pub const fn is_null(self) -> bool {
                self.0 == 0
            }
        }
    )*};
}

handles! {
    /// A context.
    CUcontext;
    /// A module: code that is loaded in one context.
    CUmodule;
    /// A library: code that is loaded in each context that uses it.
    CUlibrary;
    /// A kernel of a module.
    CUfunction;
    /// A kernel of a library. Launches take one in place of a [`CUfunction`], as the same pointer.
    CUkernel;
    /// A stream.
    CUstream;
    /// An event.
    CUevent;
    /// A graph.
    CUgraph;
    /// A node of a graph.
    CUgraphNode;
    /// A graph that can be launched.
    CUgraphExec;
    /// Linking that is under way.
    CUlinkState;
    /// A pool of memory.
    CUmemoryPool;
    /// Memory of another interface.
    CUexternalMemory;
    /// A part of a device.
    CUgreenCtx;
}

impl CUstream {
    /// The default stream that waits for others, by its own name.
    pub const LEGACY: CUstream = CUstream(1);
    /// The default stream of the calling thread, by its own name.
    pub const PER_THREAD: CUstream = CUstream(2);
}

/// Attributes of a device, for `cuDeviceGetAttribute`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(transparent)]
pub struct CUdeviceAttribute(pub c_int);

impl CUdeviceAttribute {
    /// Threads that a block may have.
    pub const MAX_THREADS_PER_BLOCK: Self = Self(1);
    /// Shared memory of a block without asking for more.
    pub const MAX_SHARED_MEMORY_PER_BLOCK: Self = Self(8);
    /// Multiprocessors.
    pub const MULTIPROCESSOR_COUNT: Self = Self(16);
    /// Whether the system ends long kernels.
    pub const KERNEL_EXEC_TIMEOUT: Self = Self(17);
    /// The major part of the compute capability.
    pub const COMPUTE_CAPABILITY_MAJOR: Self = Self(75);
    /// The minor part of the compute capability.
    pub const COMPUTE_CAPABILITY_MINOR: Self = Self(76);
    /// Shared memory of a block that asks for it.
    pub const MAX_SHARED_MEMORY_PER_BLOCK_OPTIN: Self = Self(97);
    /// Whether `cuMemAddressReserve` and its like work.
    pub const VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED: Self = Self(102);
}

/// Attributes of a function, for `cuFuncGetAttribute`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(transparent)]
pub struct CUfunctionAttribute(pub c_int);

impl CUfunctionAttribute {
    /// Threads that a block of it may have.
    pub const MAX_THREADS_PER_BLOCK: Self = Self(0);
    /// Static shared memory.
    pub const SHARED_SIZE_BYTES: Self = Self(1);
    /// Local memory of a thread.
    pub const LOCAL_SIZE_BYTES: Self = Self(3);
    /// Registers of a thread.
    pub const NUM_REGS: Self = Self(4);
    /// The virtual architecture that it was compiled for.
    pub const PTX_VERSION: Self = Self(5);
    /// The architecture that it was compiled for.
    pub const BINARY_VERSION: Self = Self(6);
    /// Dynamic shared memory that a launch may ask for; it can be set.
    pub const MAX_DYNAMIC_SHARED_SIZE_BYTES: Self = Self(8);
    /// How much of the cache is to be shared memory; it can be set.
    pub const PREFERRED_SHARED_MEMORY_CARVEOUT: Self = Self(9);
    /// Whether launches must say the size of clusters.
    pub const CLUSTER_SIZE_MUST_BE_SET: Self = Self(10);
    /// Blocks of a cluster along x.
    pub const REQUIRED_CLUSTER_WIDTH: Self = Self(11);
    /// Blocks of a cluster along y.
    pub const REQUIRED_CLUSTER_HEIGHT: Self = Self(12);
    /// Blocks of a cluster along z.
    pub const REQUIRED_CLUSTER_DEPTH: Self = Self(13);
    /// Whether clusters may be larger than every device can do; it can be set.
    pub const NON_PORTABLE_CLUSTER_SIZE_ALLOWED: Self = Self(14);
    /// How clusters are scheduled; it can be set.
    pub const CLUSTER_SCHEDULING_POLICY_PREFERENCE: Self = Self(15);
}

/// Options of compiling and linking.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(transparent)]
pub struct CUjitOption(pub c_int);

impl CUjitOption {
    /// A buffer for what the compiler has to say.
    pub const INFO_LOG_BUFFER: Self = Self(3);
    /// Its size.
    pub const INFO_LOG_BUFFER_SIZE_BYTES: Self = Self(4);
    /// A buffer for what is wrong.
    pub const ERROR_LOG_BUFFER: Self = Self(5);
    /// Its size.
    pub const ERROR_LOG_BUFFER_SIZE_BYTES: Self = Self(6);
    /// From 0 to 4.
    pub const OPTIMIZATION_LEVEL: Self = Self(7);
}

/// What a piece of code is, for `cuLinkAddData`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(transparent)]
pub struct CUjitInputType(pub c_int);

impl CUjitInputType {
    /// Machine code.
    pub const CUBIN: Self = Self(0);
    /// PTX text.
    pub const PTX: Self = Self(1);
    /// A fat binary.
    pub const FATBINARY: Self = Self(2);
    /// An object file of the host with device code inside.
    pub const OBJECT: Self = Self(3);
    /// An archive of such files.
    pub const LIBRARY: Self = Self(4);
}

/// Options of `cuLibraryLoadData`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(transparent)]
pub struct CUlibraryOption(pub c_int);

/// Whether a stream is capturing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(transparent)]
pub struct CUstreamCaptureStatus(pub c_int);

impl CUstreamCaptureStatus {
    /// It is not.
    pub const NONE: Self = Self(0);
    /// It is.
    pub const ACTIVE: Self = Self(1);
    /// It was, until something went wrong.
    pub const INVALIDATED: Self = Self(2);
}

/// Which calls a capture forbids.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(transparent)]
pub struct CUstreamCaptureMode(pub c_int);

impl CUstreamCaptureMode {
    /// Those of all threads.
    pub const GLOBAL: Self = Self(0);
    /// Those of the thread that captures.
    pub const THREAD_LOCAL: Self = Self(1);
    /// None.
    pub const RELAXED: Self = Self(2);
}

/// What is to be known of an address, for `cuPointerGetAttribute`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(transparent)]
pub struct CUpointerAttribute(pub c_int);

impl CUpointerAttribute {
    /// The context of the memory.
    pub const CONTEXT: Self = Self(1);
    /// 1 for memory of the host, 2 of a device, 3 an array, 4 either.
    pub const MEMORY_TYPE: Self = Self(2);
    /// The address by which the device knows it.
    pub const DEVICE_POINTER: Self = Self(3);
    /// Whether it is managed.
    pub const IS_MANAGED: Self = Self(8);
    /// The number of the device.
    pub const DEVICE_ORDINAL: Self = Self(9);
    /// Where the allocation begins.
    pub const RANGE_START_ADDR: Self = Self(11);
    /// How large the allocation is.
    pub const RANGE_SIZE: Self = Self(12);
}

/// Flags of memory that the host and the device share.
pub mod host_memory_flags {
    use super::c_uint;
    /// All contexts can use it.
    pub const PORTABLE: c_uint = 1;
    /// The device has an address for it.
    pub const DEVICE_MAP: c_uint = 2;
    /// The host's writes pass by its cache.
    pub const WRITE_COMBINED: c_uint = 4;
}
