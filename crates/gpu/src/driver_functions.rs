//! The functions of the driver that the engine calls, by the names that the library exports.

use crate::driver_structures::{
    CUlaunchConfig, CUmemAccessDesc, CUmemAllocationProp, KernelNodeParams,
};
use crate::driver_types::*;
use std::ffi::{CStr, c_char, c_int, c_uint, c_ulonglong, c_void};

/// Makes the table, and a method for each function, which answers that there is none where there is none.
macro_rules! driver_functions {
    ($($name:ident($($argument:ident: $type:ty),*);)*) => {
        /// The functions of the real driver. A method has the name and the arguments of its function, and so
        /// the same rules for its caller.
        #[allow(non_snake_case)]
        #[derive(Clone, Copy)]
        pub struct Driver {
            $($name: Option<unsafe extern "C" fn($($type),*) -> CUresult>,)*
        }

        impl Driver {
            /// Fills the table with what each name leads to.
            pub(crate) fn by_names(mut find: impl FnMut(&CStr) -> *mut c_void) -> Driver {
                Driver {$(
                    $name: {
                        const NAME: &CStr = match CStr::from_bytes_with_nul(
                            concat!(stringify!($name), "\0").as_bytes()
                        ) {
                            Ok(name) => name,
                            Err(_) => panic!("a name without zeros"),
                        };
                        let found = find(NAME);
                        // SAFETY: null is none, and what has this name is this function.
                        unsafe {
                            std::mem::transmute::<
                                *mut c_void,
                                Option<unsafe extern "C" fn($($type),*) -> CUresult>,
                            >(found)
                        }
                    },
                )*}
            }

            /// The functions of the table that the driver does not have.
            pub fn missing(&self) -> Vec<&'static str> {
                let mut missing = Vec::new();
                $(if self.$name.is_none() {
                    missing.push(stringify!($name));
                })*
                missing
            }

            $(
                #[doc = concat!("`", stringify!($name), "` of the real driver.")]
                ///
                /// # Safety
                /// The arguments are as the driver's manual says.
                #[allow(non_snake_case, clippy::too_many_arguments)]
                pub unsafe fn $name(&self, $($argument: $type),*) -> CUresult {
                    match self.$name {
                        // SAFETY: the same contract.
                        Some(function) => unsafe { function($($argument),*) },
                        None => CUresult::NOT_FOUND,
                    }
                }
            )*
        }
    };
}

driver_functions! {
    // The driver and its devices.
    cuInit(flags: c_uint);
    cuDriverGetVersion(version: *mut c_int);
    cuGetErrorName(error: CUresult, name: *mut *const c_char);
    cuGetErrorString(error: CUresult, text: *mut *const c_char);
    cuDeviceGet(device: *mut CUdevice, ordinal: c_int);
    cuDeviceGetCount(count: *mut c_int);
    cuDeviceGetName(name: *mut c_char, length: c_int, device: CUdevice);
    cuDeviceGetAttribute(value: *mut c_int, attribute: CUdeviceAttribute, device: CUdevice);
    cuDeviceTotalMem_v2(bytes: *mut usize, device: CUdevice);

    // Contexts.
    cuDevicePrimaryCtxRetain(context: *mut CUcontext, device: CUdevice);
    cuDevicePrimaryCtxRelease_v2(device: CUdevice);
    cuDevicePrimaryCtxGetState(device: CUdevice, flags: *mut c_uint, active: *mut c_int);
    cuCtxGetCurrent(context: *mut CUcontext);
    cuCtxSetCurrent(context: CUcontext);
    cuCtxPushCurrent_v2(context: CUcontext);
    cuCtxPopCurrent_v2(context: *mut CUcontext);
    cuCtxGetDevice(device: *mut CUdevice);
    cuCtxGetId(context: CUcontext, id: *mut c_ulonglong);
    cuCtxSynchronize();
    cuCtxGetLimit(value: *mut usize, limit: c_int);
    cuCtxSetLimit(limit: c_int, value: usize);
    cuCtxGetStreamPriorityRange(least: *mut c_int, greatest: *mut c_int);

    // Streams and events.
    cuStreamCreate(stream: *mut CUstream, flags: c_uint);
    cuStreamCreateWithPriority(stream: *mut CUstream, flags: c_uint, priority: c_int);
    cuStreamDestroy_v2(stream: CUstream);
    cuStreamSynchronize(stream: CUstream);
    cuStreamQuery(stream: CUstream);
    cuStreamWaitEvent(stream: CUstream, event: CUevent, flags: c_uint);
    cuStreamGetFlags(stream: CUstream, flags: *mut c_uint);
    cuStreamGetCtx(stream: CUstream, context: *mut CUcontext);
    cuStreamGetCtx_ptsz(stream: CUstream, context: *mut CUcontext);
    cuStreamGetCtx_v2(stream: CUstream, context: *mut CUcontext, part: *mut CUgreenCtx);
    cuStreamIsCapturing(stream: CUstream, status: *mut CUstreamCaptureStatus);
    cuStreamIsCapturing_ptsz(stream: CUstream, status: *mut CUstreamCaptureStatus);
    cuStreamGetCaptureInfo_v2(
        stream: CUstream,
        status: *mut CUstreamCaptureStatus,
        id: *mut c_ulonglong,
        graph: *mut CUgraph,
        dependencies: *mut *const CUgraphNode,
        dependency_count: *mut usize
    );
    cuThreadExchangeStreamCaptureMode(mode: *mut CUstreamCaptureMode);
    cuLaunchHostFunc(
        stream: CUstream,
        function: Option<unsafe extern "C" fn(*mut c_void)>,
        data: *mut c_void
    );
    cuEventCreate(event: *mut CUevent, flags: c_uint);
    cuEventDestroy_v2(event: CUevent);
    cuEventRecord(event: CUevent, stream: CUstream);
    cuEventRecord_ptsz(event: CUevent, stream: CUstream);
    cuEventQuery(event: CUevent);
    cuEventSynchronize(event: CUevent);
    cuEventElapsedTime(milliseconds: *mut f32, start: CUevent, end: CUevent);

    // Memory.
    cuMemAlloc_v2(address: *mut CUdeviceptr, bytes: usize);
    cuMemFree_v2(address: CUdeviceptr);
    cuMemHostAlloc(address: *mut *mut c_void, bytes: usize, flags: c_uint);
    cuMemFreeHost(address: *mut c_void);
    cuMemHostGetDevicePointer_v2(device: *mut CUdeviceptr, host: *mut c_void, flags: c_uint);
    cuMemGetInfo_v2(free: *mut usize, total: *mut usize);
    cuMemGetAddressRange_v2(base: *mut CUdeviceptr, bytes: *mut usize, address: CUdeviceptr);
    cuPointerGetAttribute(data: *mut c_void, attribute: CUpointerAttribute, address: CUdeviceptr);
    cuMemAllocAsync(address: *mut CUdeviceptr, bytes: usize, stream: CUstream);
    cuMemFreeAsync(address: CUdeviceptr, stream: CUstream);

    // Memory whose addresses and whose bytes are allocated separately.
    cuMemAddressReserve(
        address: *mut CUdeviceptr,
        bytes: usize,
        alignment: usize,
        wish: CUdeviceptr,
        flags: c_ulonglong
    );
    cuMemAddressFree(address: CUdeviceptr, bytes: usize);
    cuMemCreate(
        handle: *mut CUmemGenericAllocationHandle,
        bytes: usize,
        properties: *const CUmemAllocationProp,
        flags: c_ulonglong
    );
    cuMemRelease(handle: CUmemGenericAllocationHandle);
    cuMemMap(
        address: CUdeviceptr,
        bytes: usize,
        offset: usize,
        handle: CUmemGenericAllocationHandle,
        flags: c_ulonglong
    );
    cuMemUnmap(address: CUdeviceptr, bytes: usize);
    cuMemSetAccess(
        address: CUdeviceptr,
        bytes: usize,
        descriptions: *const CUmemAccessDesc,
        count: usize
    );
    cuMemGetAllocationGranularity(
        granularity: *mut usize,
        properties: *const CUmemAllocationProp,
        option: c_int
    );

    // Copies and fills.
    cuMemcpyHtoD_v2(to: CUdeviceptr, from: *const c_void, bytes: usize);
    cuMemcpyDtoH_v2(to: *mut c_void, from: CUdeviceptr, bytes: usize);
    cuMemcpyDtoD_v2(to: CUdeviceptr, from: CUdeviceptr, bytes: usize);
    cuMemcpyHtoDAsync_v2(to: CUdeviceptr, from: *const c_void, bytes: usize, stream: CUstream);
    cuMemcpyDtoHAsync_v2(to: *mut c_void, from: CUdeviceptr, bytes: usize, stream: CUstream);
    cuMemcpyDtoDAsync_v2(to: CUdeviceptr, from: CUdeviceptr, bytes: usize, stream: CUstream);
    cuMemsetD8_v2(address: CUdeviceptr, value: u8, count: usize);
    cuMemsetD32_v2(address: CUdeviceptr, value: c_uint, count: usize);
    cuMemsetD8Async(address: CUdeviceptr, value: u8, count: usize, stream: CUstream);
    cuMemsetD8Async_ptsz(address: CUdeviceptr, value: u8, count: usize, stream: CUstream);
    cuMemsetD32Async(address: CUdeviceptr, value: c_uint, count: usize, stream: CUstream);
    cuMemsetD32Async_ptsz(address: CUdeviceptr, value: c_uint, count: usize, stream: CUstream);

    // Modules, libraries and their functions.
    cuModuleLoadData(module: *mut CUmodule, image: *const c_void);
    cuModuleLoadDataEx(
        module: *mut CUmodule,
        image: *const c_void,
        count: c_uint,
        options: *const CUjitOption,
        values: *const *mut c_void
    );
    cuModuleUnload(module: CUmodule);
    cuModuleGetFunction(function: *mut CUfunction, module: CUmodule, name: *const c_char);
    cuModuleGetGlobal_v2(
        address: *mut CUdeviceptr,
        bytes: *mut usize,
        module: CUmodule,
        name: *const c_char
    );
    cuModuleGetFunctionCount(count: *mut c_uint, module: CUmodule);
    cuModuleEnumerateFunctions(functions: *mut CUfunction, count: c_uint, module: CUmodule);
    cuLibraryGetModule(module: *mut CUmodule, library: CUlibrary);
    cuLibraryGetKernel(kernel: *mut CUkernel, library: CUlibrary, name: *const c_char);
    cuLibraryGetGlobal(
        address: *mut CUdeviceptr,
        bytes: *mut usize,
        library: CUlibrary,
        name: *const c_char
    );
    cuLibraryGetManaged(
        address: *mut CUdeviceptr,
        bytes: *mut usize,
        library: CUlibrary,
        name: *const c_char
    );
    cuKernelGetFunction(function: *mut CUfunction, kernel: CUkernel);
    cuKernelGetLibrary(library: *mut CUlibrary, kernel: CUkernel);
    cuKernelGetName(name: *mut *const c_char, kernel: CUkernel);
    cuKernelGetParamInfo(kernel: CUkernel, index: usize, offset: *mut usize, bytes: *mut usize);
    cuKernelGetAttribute(
        value: *mut c_int,
        attribute: CUfunctionAttribute,
        kernel: CUkernel,
        device: CUdevice
    );
    cuKernelSetAttribute(
        attribute: CUfunctionAttribute,
        value: c_int,
        kernel: CUkernel,
        device: CUdevice
    );
    cuFuncGetModule(module: *mut CUmodule, function: CUfunction);
    cuFuncGetName(name: *mut *const c_char, function: CUfunction);
    cuFuncGetAttribute(value: *mut c_int, attribute: CUfunctionAttribute, function: CUfunction);
    cuFuncSetAttribute(function: CUfunction, attribute: CUfunctionAttribute, value: c_int);
    cuFuncSetCacheConfig(function: CUfunction, config: c_int);
    cuFuncGetParamInfo(function: CUfunction, index: usize, offset: *mut usize, bytes: *mut usize);
    cuFuncLoad(function: CUfunction);
    cuLinkCreate_v2(
        count: c_uint,
        options: *const CUjitOption,
        values: *const *mut c_void,
        state: *mut CUlinkState
    );
    cuLinkAddData_v2(
        state: CUlinkState,
        kind: CUjitInputType,
        data: *const c_void,
        bytes: usize,
        name: *const c_char,
        count: c_uint,
        options: *const CUjitOption,
        values: *const *mut c_void
    );
    cuLinkComplete(state: CUlinkState, code: *mut *mut c_void, bytes: *mut usize);
    cuLinkDestroy(state: CUlinkState);
    cuOccupancyMaxActiveBlocksPerMultiprocessor(
        blocks: *mut c_int,
        function: CUfunction,
        block_size: c_int,
        dynamic_shared_bytes: usize
    );
    cuOccupancyMaxActiveClusters(
        clusters: *mut c_int,
        function: CUfunction,
        config: *const CUlaunchConfig
    );

    // Launches.
    cuLaunchKernel(
        function: CUfunction,
        grid_x: c_uint,
        grid_y: c_uint,
        grid_z: c_uint,
        block_x: c_uint,
        block_y: c_uint,
        block_z: c_uint,
        shared_bytes: c_uint,
        stream: CUstream,
        parameters: *mut *mut c_void,
        extra: *mut *mut c_void
    );
    cuLaunchKernelEx(
        config: *const CUlaunchConfig,
        function: CUfunction,
        parameters: *mut *mut c_void,
        extra: *mut *mut c_void
    );
    cuGraphKernelNodeGetParams_v2(node: CUgraphNode, parameters: *mut KernelNodeParams);
    cuGraphCreate(graph: *mut CUgraph, flags: c_uint);
    cuGraphDestroy(graph: CUgraph);
    cuGraphAddKernelNode_v2(
        node: *mut CUgraphNode,
        graph: CUgraph,
        after: *const CUgraphNode,
        count: usize,
        parameters: *const KernelNodeParams
    );
    cuGraphChildGraphNodeGetGraph(node: CUgraphNode, graph: *mut CUgraph);
    cuGraphGetNodes(graph: CUgraph, nodes: *mut CUgraphNode, count: *mut usize);
    cuGraphNodeGetType(node: CUgraphNode, node_type: *mut c_int);
    cuGraphGetEdges_v2(
        graph: CUgraph,
        from: *mut CUgraphNode,
        to: *mut CUgraphNode,
        data: *mut u64,
        count: *mut usize
    );
}

#[cfg(test)]
mod tests {
    use super::*;

    unsafe extern "C" fn two_devices(count: *mut c_int) -> CUresult {
        // SAFETY: the test passes a place.
        unsafe { count.write(2) };
        CUresult::SUCCESS
    }

    #[test]
    fn what_is_found_is_called_and_what_is_not_answers_so() {
        let driver = Driver::by_names(|name| match name.to_bytes() {
            b"cuDeviceGetCount" => two_devices as *mut c_void,
            _ => std::ptr::null_mut(),
        });
        let mut count = 0;
        // SAFETY: a place for a number, and functions that are not there.
        unsafe {
            assert_eq!(driver.cuDeviceGetCount(&mut count), CUresult::SUCCESS);
            assert_eq!(driver.cuInit(0), CUresult::NOT_FOUND);
        }
        assert_eq!(count, 2);
        assert!(driver.missing().contains(&"cuLaunchKernel"));
        assert!(!driver.missing().contains(&"cuDeviceGetCount"));
        assert_eq!(driver.error_name(CUresult::INVALID_VALUE), "error 1");
    }
}
