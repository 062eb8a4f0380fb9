//! A driver without a device, for tests: it remembers what it is asked, and answers as the real one would.

use crate::driver::Driver;
use crate::driver_structures::KernelNodeParams;
use crate::driver_types::*;
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
    /// Numbers that a place was filled with.
    pub(super) filled: Vec<(u64, u32)>,
    /// Memory that is allocated.
    pub(super) memory: BTreeMap<u64, u64>,
    /// Bytes that the device has.
    pub(super) capacity: u64,
    /// The device cannot be waited for.
    pub(super) cannot_wait: bool,
    /// A graph that all streams are captured to.
    pub(super) captured: Option<CUgraph>,
    /// Events that the device is not past.
    pub(super) ahead: Vec<CUevent>,
    names: HashMap<CUfunction, CString>,
    graphs: BTreeMap<CUgraph, Vec<CUgraphNode>>,
    nodes: BTreeMap<CUgraphNode, Node>,
    next: usize,
}

enum Node {
    Kernel { parameters: KernelNodeParams, _pointers: Vec<*mut c_void>, _values: Vec<Vec<u8>> },
    Child(CUgraph),
}

thread_local! {
    static FAKE: RefCell<Fake> = RefCell::default();
}

/// Looks at the driver of this thread, or changes it.
pub(super) fn fake<T>(action: impl FnOnce(&mut Fake) -> T) -> T {
    FAKE.with_borrow_mut(action)
}

/// A driver that has just been started, with so much memory.
pub(super) fn driver(capacity: u64) -> &'static Driver {
    FAKE.set(Fake { capacity, next: 0x1000, ..Fake::default() });
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

    fn used(&self) -> u64 {
        self.memory.values().sum()
    }

    /// A node of a graph, with parameters of these sizes, which are copied.
    ///
    /// # Safety
    /// The parameters have these sizes.
    pub(super) unsafe fn add_kernel(
        &mut self,
        graph: CUgraph,
        given: &KernelNodeParams,
        sizes: &[usize],
    ) -> CUgraphNode {
        let node = CUgraphNode(self.handle());
        // SAFETY: as the caller says.
        unsafe { self.set_kernel(node, given, sizes) };
        self.graphs.entry(graph).or_default().push(node);
        node
    }

    /// # Safety
    /// The parameters have these sizes.
    pub(super) unsafe fn set_kernel(
        &mut self,
        node: CUgraphNode,
        given: &KernelNodeParams,
        sizes: &[usize],
    ) {
        let mut values: Vec<Vec<u8>> = Vec::new();
        for (index, size) in sizes.iter().enumerate() {
            // SAFETY: as the caller says.
            let value = unsafe { *given.first.parameters.add(index) }.cast::<u8>();
            // SAFETY: as the caller says.
            values.push(unsafe { std::slice::from_raw_parts(value, *size) }.to_vec());
        }
        let mut pointers: Vec<*mut c_void> =
            values.iter_mut().map(|value| value.as_mut_ptr().cast()).collect();
        let mut parameters = *given;
        parameters.first.parameters = pointers.as_mut_ptr();
        self.nodes.insert(node, Node::Kernel { parameters, _pointers: pointers, _values: values });
    }

    /// A node that is a graph.
    pub(super) fn add_child(&mut self, graph: CUgraph, child: CUgraph) {
        let node = CUgraphNode(self.handle());
        self.nodes.insert(node, Node::Child(child));
        self.graphs.entry(graph).or_default().push(node);
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
    cuCtxGetDevice(device: *mut CUdevice) _fake {
        device.write(0);
        OK
    }
    cuCtxGetCurrent(context: *mut CUcontext) _fake {
        context.write(CUcontext(7));
        OK
    }
    cuCtxSetCurrent(_context: CUcontext) _fake { OK }
    cuCtxSynchronize() fake {
        if fake.cannot_wait { CUresult::NOT_PERMITTED } else { OK }
    }
    cuDeviceGetAttribute(value: *mut c_int, attribute: CUdeviceAttribute, _device: CUdevice) _fake {
        value.write(match attribute {
            CUdeviceAttribute::COMPUTE_CAPABILITY_MAJOR => 9,
            CUdeviceAttribute::MULTIPROCESSOR_COUNT => 132,
            _ => 0,
        });
        OK
    }
    cuThreadExchangeStreamCaptureMode(_mode: *mut CUstreamCaptureMode) _fake { OK }
    cuStreamCreate(stream: *mut CUstream, _flags: c_uint) fake {
        stream.write(CUstream(fake.handle()));
        OK
    }
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
    cuEventQuery(event: CUevent) fake {
        if fake.ahead.contains(&event) { CUresult::NOT_READY } else { OK }
    }
    cuMemAlloc_v2(address: *mut CUdeviceptr, bytes: usize) fake {
        let (start, bytes) = (0x7000_0000_0000 + ((fake.handle() as u64) << 32), bytes as u64);
        if fake.used() + bytes > fake.capacity {
            return CUresult::OUT_OF_MEMORY;
        }
        fake.memory.insert(start, bytes);
        address.write(start);
        OK
    }
    cuMemFree_v2(address: CUdeviceptr) fake {
        if fake.memory.remove(&address).is_some() { OK } else { CUresult::INVALID_VALUE }
    }
    cuMemHostAlloc(address: *mut *mut c_void, bytes: usize, _flags: c_uint) _fake {
        // There is enough for rings and queues, and none for metadata.
        if bytes.is_multiple_of(10 << 20) {
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
    cuMemcpyDtoHAsync_v2(to: *mut c_void, _from: CUdeviceptr, bytes: usize, _stream: CUstream) _fake {
        to.cast::<u8>().write_bytes(0, bytes);
        OK
    }
    cuMemcpyDtoDAsync_v2(_to: CUdeviceptr, _from: CUdeviceptr, _bytes: usize, _stream: CUstream) _fake {
        OK
    }
    cuModuleLoadData(module: *mut CUmodule, _image: *const c_void) fake {
        module.write(CUmodule(fake.handle()));
        OK
    }
    cuModuleUnload(_module: CUmodule) _fake { OK }
    cuModuleGetFunction(function: *mut CUfunction, _module: CUmodule, name: *const c_char) fake {
        let handle = CUfunction(fake.handle());
        fake.names.insert(handle, CStr::from_ptr(name).to_owned());
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
        module.write(CUmodule(1));
        if fake.names.contains_key(&function) { OK } else { CUresult::INVALID_HANDLE }
    }
    cuFuncGetName(name: *mut *const c_char, function: CUfunction) fake {
        let Some(known) = fake.names.get(&function) else { return CUresult::INVALID_HANDLE };
        name.write(known.as_ptr());
        OK
    }
    cuFuncGetAttribute(value: *mut c_int, _attribute: CUfunctionAttribute, _function: CUfunction) _fake {
        value.write(1);
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
    cuGraphKernelNodeGetParams_v2(node: CUgraphNode, told: *mut KernelNodeParams) fake {
        match fake.nodes.get(&node) {
            Some(Node::Kernel { parameters, .. }) => told.write(*parameters),
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
    cuGraphChildGraphNodeGetGraph(node: CUgraphNode, graph: *mut CUgraph) fake {
        let Some(Node::Child(child)) = fake.nodes.get(&node) else { return CUresult::INVALID_VALUE };
        graph.write(*child);
        OK
    }
}
