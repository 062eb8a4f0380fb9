//! A driver without a device, for tests: it remembers what it is asked, and answers as the real one would.

mod graphs;

use crate::driver::Driver;
use crate::driver_structures::KernelNodeParams;
use crate::driver_types::*;
use graphs::Node;
use std::cell::RefCell;
use std::collections::{BTreeMap, HashMap};
use std::ffi::{CStr, CString, c_char, c_int, c_uint, c_ulonglong, c_void};

/// What the driver of this thread knows.
#[derive(Default)]
pub(super) struct Fake {
    /// How often each function was called.
    pub(super) calls: BTreeMap<&'static str, usize>,
    /// Words that were copied to the device.
    pub(super) words: HashMap<u64, u64>,
    /// What kernels would have left in some places, for those who read it.
    pub(super) left: HashMap<u64, u32>,
    /// Numbers that a place was filled with.
    pub(super) filled: Vec<(u64, u32)>,
    /// Memory that is allocated.
    pub(super) memory: BTreeMap<u64, u64>,
    /// Bytes that the device has.
    pub(super) capacity: u64,
    /// Threads that a block of every kernel may have, where that is not what devices have.
    pub(super) most_threads: Option<i32>,
    /// The device cannot be waited for.
    pub(super) cannot_wait: bool,
    /// What a kernel did has stopped everything.
    pub(super) fault: Option<CUresult>,
    /// A graph that all streams are captured to.
    pub(super) captured: Option<CUgraph>,
    /// Events that the device is not past.
    pub(super) ahead: Vec<CUevent>,
    /// The devices of contexts.
    pub(super) context_devices: BTreeMap<CUcontext, CUdevice>,
    /// A context of a part of the first device.
    pub(super) part_of_primary: Option<CUcontext>,
    /// The contexts of streams.
    pub(super) streams: HashMap<CUstream, CUcontext>,
    /// The contexts of this thread, the current one last.
    pub(super) stack: Vec<CUcontext>,
    /// Bytes of a thread's stack, and the most that there can be.
    pub(super) stack_limit: usize,
    pub(super) largest_stack_limit: usize,
    /// Users of primary contexts.
    pub(super) primary_users: BTreeMap<CUdevice, i32>,
    /// Contexts that were waited for.
    pub(super) waited_for: Vec<CUcontext>,
    /// Streams that wait for others.
    pub(super) waiting: Vec<CUstream>,
    /// In which context memory was allocated, and modules loaded.
    pub(super) home: HashMap<u64, CUcontext>,
    functions: HashMap<CUfunction, (CUmodule, CString)>,
    /// Kernels that the engine has launched itself.
    pub(super) launched: Vec<CString>,
    graphs: BTreeMap<CUgraph, Vec<CUgraphNode>>,
    pub(super) edges: BTreeMap<CUgraph, Vec<(CUgraphNode, CUgraphNode)>>,
    nodes: BTreeMap<CUgraphNode, Node>,
    next: usize,
}

thread_local! {
    static FAKE: RefCell<Fake> = RefCell::default();
}

/// Looks at the driver of this thread, or changes it.
pub(super) fn fake<T>(action: impl FnOnce(&mut Fake) -> T) -> T {
    FAKE.with_borrow_mut(action)
}

/// The context that a program begins with.
pub(super) const CONTEXT: CUcontext = CUcontext(7);

/// The primary context of a device.
pub(super) fn primary(device: CUdevice) -> CUcontext {
    CUcontext(0x700 + device as usize)
}

/// A driver that has just been started, with so much memory.
pub(super) fn driver(capacity: u64) -> &'static Driver {
    let context_devices = BTreeMap::from([(CONTEXT, 0)]);
    let stack = vec![CONTEXT];
    FAKE.set(Fake {
        capacity,
        next: 0x1000,
        context_devices,
        stack,
        stack_limit: 1 << 10,
        largest_stack_limit: 512 << 10,
        ..Fake::default()
    });
    Box::leak(Box::new(Driver::by_names(find)))
}

impl Fake {
    pub(super) fn count(&self, name: &str) -> usize {
        self.calls.get(name).copied().unwrap_or(0)
    }

    fn handle(&mut self) -> usize {
        self.next += 0x10;
        self.next
    }

    fn current(&self) -> CUcontext {
        self.stack.last().copied().unwrap_or(CUcontext::NULL)
    }

    fn used(&self) -> u64 {
        self.memory.values().sum()
    }
}

/// Makes functions that are counted, and finds them by their names.
macro_rules! functions {
    ($($name:ident($($argument:ident: $type:ty),*) $fake:ident $body:block)*) => {
        /// The function of a name.
        pub(super) fn find(name: &CStr) -> *mut c_void {
            match name.to_bytes() {
                $(name if name == stringify!($name).as_bytes() => {
                    #[allow(non_snake_case)]
                    unsafe extern "C" fn $name($($argument: $type),*) -> CUresult {
                        fake(|$fake| {
                            *$fake.calls.entry(stringify!($name)).or_default() += 1;
                            // SAFETY: callers pass what the driver's manual says.
                            #[allow(unused_unsafe)]
                            unsafe { $body }
                        })
                    }
                    $name as *mut c_void
                })*
                _ => std::ptr::null_mut(),
            }
        }
    };
}

const OK: CUresult = CUresult::SUCCESS;

functions! {
    cuCtxGetDevice(device: *mut CUdevice) fake {
        let Some(of) = fake.context_devices.get(&fake.current()) else {
            return CUresult::INVALID_CONTEXT;
        };
        device.write(*of);
        OK
    }
    cuCtxGetCurrent(context: *mut CUcontext) fake {
        context.write(fake.current());
        OK
    }
    cuCtxSetCurrent(context: CUcontext) fake {
        fake.stack.pop();
        fake.stack.push(context);
        OK
    }
    cuCtxPushCurrent_v2(context: CUcontext) fake {
        if !fake.context_devices.contains_key(&context) {
            return CUresult::INVALID_CONTEXT;
        }
        fake.stack.push(context);
        OK
    }
    cuCtxPopCurrent_v2(context: *mut CUcontext) fake {
        context.write(fake.stack.pop().unwrap_or(CUcontext::NULL));
        OK
    }
    cuCtxGetLimit(value: *mut usize, _limit: c_int) fake {
        value.write(fake.stack_limit);
        OK
    }
    cuCtxSetLimit(_limit: c_int, value: usize) fake {
        if value > fake.largest_stack_limit {
            return CUresult::OUT_OF_MEMORY;
        }
        fake.stack_limit = value;
        OK
    }
    cuCtxSynchronize() fake {
        fake.waited_for.push(fake.current());
        if fake.cannot_wait { CUresult::NOT_PERMITTED } else { OK }
    }
    cuDevicePrimaryCtxGetState(device: CUdevice, _flags: *mut c_uint, active: *mut c_int) fake {
        active.write(c_int::from(fake.primary_users.get(&device).is_some_and(|users| *users > 0)));
        OK
    }
    cuDevicePrimaryCtxRetain(context: *mut CUcontext, device: CUdevice) fake {
        *fake.primary_users.entry(device).or_default() += 1;
        context.write(primary(device));
        OK
    }
    cuDevicePrimaryCtxRelease_v2(device: CUdevice) fake {
        *fake.primary_users.entry(device).or_default() -= 1;
        OK
    }
    cuStreamGetCtx(stream: CUstream, context: *mut CUcontext) fake {
        context.write(fake.streams.get(&stream).copied().unwrap_or(fake.current()));
        OK
    }
    cuStreamGetCtx_v2(stream: CUstream, whole: *mut CUcontext, part: *mut CUgreenCtx) fake {
        let context = fake.streams.get(&stream).copied().unwrap_or(fake.current());
        if fake.part_of_primary == Some(context) {
            whole.write(primary(0));
            part.write(CUgreenCtx(1));
        } else {
            whole.write(context);
        }
        OK
    }
    cuDeviceGetAttribute(value: *mut c_int, attribute: CUdeviceAttribute, _device: CUdevice) _fake {
        value.write(match attribute {
            CUdeviceAttribute::COMPUTE_CAPABILITY_MAJOR => 9,
            CUdeviceAttribute::MULTIPROCESSOR_COUNT => 132,
            CUdeviceAttribute::MAX_SHARED_MEMORY_PER_BLOCK_OPTIN => 227 << 10,
            _ => 0,
        });
        OK
    }
    cuThreadExchangeStreamCaptureMode(_mode: *mut CUstreamCaptureMode) _fake { OK }
    cuStreamCreate(stream: *mut CUstream, _flags: c_uint) fake {
        let handle = CUstream(fake.handle());
        fake.streams.insert(handle, fake.current());
        stream.write(handle);
        OK
    }
    cuStreamWaitEvent(stream: CUstream, _event: CUevent, _flags: c_uint) fake {
        fake.waiting.push(stream);
        OK
    }
    cuEventDestroy_v2(_event: CUevent) _fake { OK }
    cuStreamSynchronize(_stream: CUstream) _fake { OK }
    cuStreamGetCaptureInfo_v2(
        _stream: CUstream,
        status: *mut CUstreamCaptureStatus,
        _id: *mut c_ulonglong,
        graph: *mut CUgraph,
        _dependencies: *mut *const CUgraphNode,
        _count: *mut usize
    ) fake {
        if let Some(captured) = fake.captured {
            status.write(CUstreamCaptureStatus::ACTIVE);
            graph.write(captured);
        }
        OK
    }
    cuEventCreate(event: *mut CUevent, _flags: c_uint) fake {
        event.write(CUevent(fake.handle()));
        OK
    }
    cuEventRecord(event: CUevent, _stream: CUstream) fake {
        fake.ahead.push(event);
        OK
    }
    cuEventSynchronize(event: CUevent) fake {
        fake.ahead.retain(|ahead| *ahead != event);
        OK
    }
    cuLinkCreate_v2(
        _count: c_uint, _options: *const CUjitOption, _values: *const *mut c_void, _state: *mut CUlinkState
    ) _fake { OK }
    cuLinkAddData_v2(
        _state: CUlinkState, _kind: CUjitInputType, _data: *const c_void, _bytes: usize, _name: *const c_char, _count: c_uint,
        _options: *const CUjitOption, _values: *const *mut c_void
    ) _fake { OK }
    cuLinkComplete(_state: CUlinkState, code: *mut *mut c_void, bytes: *mut usize) _fake {
        code.write(c"linked".as_ptr().cast_mut().cast());
        bytes.write(6);
        OK
    }
    cuLinkDestroy(_state: CUlinkState) _fake { OK }
    cuEventElapsedTime(milliseconds: *mut f32, _start: CUevent, _end: CUevent) _fake {
        milliseconds.write(0.5);
        OK
    }
    cuEventQuery(event: CUevent) fake {
        if fake.ahead.contains(&event) { CUresult::NOT_READY } else { OK }
    }
    cuMemAlloc_v2(address: *mut CUdeviceptr, bytes: usize) fake {
        let (start, bytes) = (0x7000_0000_0000 + ((fake.handle() as u64) << 32), bytes as u64);
        if fake.used() + bytes > fake.capacity {
            return CUresult::OUT_OF_MEMORY;
        }
        fake.memory.insert(start, bytes);
        fake.home.insert(start, fake.current());
        address.write(start);
        OK
    }
    cuMemFree_v2(address: CUdeviceptr) fake {
        if fake.memory.remove(&address).is_some() { OK } else { CUresult::INVALID_VALUE }
    }
    cuMemHostAlloc(address: *mut *mut c_void, bytes: usize, _flags: c_uint) _fake {
        // There is enough for rings and queues, and none for metadata.
        if bytes.is_multiple_of(11 << 20) {
            return CUresult::OUT_OF_MEMORY;
        }
        address.write(vec![0u64; bytes / 8].leak().as_mut_ptr().cast());
        OK
    }
    cuMemHostGetDevicePointer_v2(device: *mut CUdeviceptr, host: *mut c_void, _flags: c_uint) _fake {
        device.write(host as u64);
        OK
    }
    cuMemGetInfo_v2(free: *mut usize, total: *mut usize) fake {
        free.write((fake.capacity - fake.used()) as usize);
        total.write(fake.capacity as usize);
        OK
    }
    cuMemsetD8Async(address: CUdeviceptr, _value: u8, count: usize, _stream: CUstream) fake {
        fake.words.retain(|place, _| !(address..address + count as u64).contains(place));
        OK
    }
    cuMemsetD32Async(address: CUdeviceptr, value: c_uint, _count: usize, _stream: CUstream) fake {
        fake.filled.push((address, value));
        OK
    }
    cuMemcpyHtoDAsync_v2(to: CUdeviceptr, from: *const c_void, bytes: usize, _stream: CUstream) fake {
        for index in 0..bytes / 8 {
            let word = from.cast::<u64>().add(index).read_unaligned();
            fake.words.insert(to + index as u64 * 8, word);
        }
        OK
    }
    cuMemcpyDtoHAsync_v2(to: *mut c_void, from: CUdeviceptr, bytes: usize, _stream: CUstream) fake {
        to.cast::<u8>().write_bytes(0, bytes);
        if let Some(left) = fake.left.get(&from) {
            to.cast::<u32>().write(*left);
        }
        fake.fault.unwrap_or(OK)
    }
    cuMemcpyDtoDAsync_v2(_to: CUdeviceptr, _from: CUdeviceptr, _bytes: usize, _stream: CUstream) _fake {
        OK
    }
    cuModuleLoadData(module: *mut CUmodule, _image: *const c_void) fake {
        let handle = CUmodule(fake.handle());
        fake.home.insert(handle.0 as u64, fake.current());
        module.write(handle);
        OK
    }
    cuModuleUnload(module: CUmodule) fake {
        if fake.home.get(&(module.0 as u64)) != Some(&fake.current()) {
            return CUresult::INVALID_HANDLE;
        }
        fake.home.remove(&(module.0 as u64));
        OK
    }
    cuLaunchKernel(
        function: CUfunction, _x: c_uint, _y: c_uint, _z: c_uint, _block_x: c_uint, _block_y: c_uint, _block_z: c_uint,
        _shared_bytes: c_uint, _stream: CUstream, _parameters: *mut *mut c_void, _extra: *mut *mut c_void
    ) fake {
        let (_, name) = &fake.functions[&function];
        fake.launched.push(name.clone());
        OK
    }
    cuModuleGetFunction(function: *mut CUfunction, module: CUmodule, name: *const c_char) fake {
        let handle = CUfunction(fake.handle());
        fake.functions.insert(handle, (module, CStr::from_ptr(name).to_owned()));
        function.write(handle);
        OK
    }
    cuModuleGetGlobal_v2(
        address: *mut CUdeviceptr,
        bytes: *mut usize,
        module: CUmodule,
        _name: *const c_char
    ) _fake {
        address.write(0x5000_0000_0000 + ((module.0 as u64) << 24));
        bytes.write(4);
        OK
    }
    cuFuncGetModule(module: *mut CUmodule, function: CUfunction) fake {
        let Some((of, _)) = fake.functions.get(&function) else { return CUresult::INVALID_HANDLE };
        module.write(*of);
        OK
    }
    cuFuncGetName(name: *mut *const c_char, function: CUfunction) fake {
        let Some((_, known)) = fake.functions.get(&function) else {
            return CUresult::INVALID_HANDLE;
        };
        name.write(known.as_ptr());
        OK
    }
    cuFuncGetAttribute(value: *mut c_int, attribute: CUfunctionAttribute, _function: CUfunction) fake {
        value.write(match attribute {
            CUfunctionAttribute::MAX_THREADS_PER_BLOCK => fake.most_threads.unwrap_or(1024),
            CUfunctionAttribute::MAX_DYNAMIC_SHARED_SIZE_BYTES => 48 << 10,
            _ => 1,
        });
        OK
    }
    cuGraphCreate(graph: *mut CUgraph, _flags: c_uint) fake {
        let handle = CUgraph(fake.handle());
        fake.graphs.insert(handle, Vec::new());
        graph.write(handle);
        OK
    }
    cuGraphDestroy(graph: CUgraph) fake {
        fake.graphs.remove(&graph);
        OK
    }
    cuGraphAddKernelNode_v2(
        node: *mut CUgraphNode,
        graph: CUgraph,
        _after: *const CUgraphNode,
        _count: usize,
        parameters: *const KernelNodeParams
    ) fake {
        node.write(fake.add_kernel(graph, &*parameters, &[]));
        OK
    }
    cuGraphKernelNodeGetParams_v2(node: CUgraphNode, place: *mut KernelNodeParams) fake {
        match fake.nodes.get(&node) {
            Some(Node::Kernel { parameters, .. }) => place.write(*parameters),
            _ => return CUresult::INVALID_VALUE,
        }
        OK
    }
    cuGraphGetNodes(graph: CUgraph, nodes: *mut CUgraphNode, count: *mut usize) fake {
        let known = fake.graphs.get(&graph).map_or(&[][..], Vec::as_slice);
        if !nodes.is_null() {
            std::ptr::copy_nonoverlapping(known.as_ptr(), nodes, known.len().min(*count));
        }
        count.write(known.len());
        OK
    }
    cuGraphNodeGetType(node: CUgraphNode, kind: *mut c_int) fake {
        kind.write(if matches!(fake.nodes.get(&node), Some(Node::Child(_))) { 4 } else { 0 });
        OK
    }
    cuGraphGetEdges_v2(
        graph: CUgraph,
        from: *mut CUgraphNode,
        to: *mut CUgraphNode,
        _data: *mut u64,
        count: *mut usize
    ) fake {
        let known = fake.edges.get(&graph).map_or(&[][..], Vec::as_slice);
        if !from.is_null() {
            for (at, edge) in known.iter().enumerate().take(*count) {
                from.add(at).write(edge.0);
                to.add(at).write(edge.1);
            }
        }
        count.write(known.len());
        OK
    }
    cuGraphChildGraphNodeGetGraph(node: CUgraphNode, graph: *mut CUgraph) fake {
        let Some(Node::Child(child)) = fake.nodes.get(&node) else { return CUresult::INVALID_VALUE };
        graph.write(*child);
        OK
    }
}
