//! A device and its code, by the functions of the driver that a program would call.

use crate::launch_line::LaunchLine;
use std::collections::HashMap;
use std::ffi::{CStr, CString, c_char, c_uint, c_void};
use std::path::Path;
use thiserror::Error;
use warpsan_gpu::{
    CUcontext, CUdeviceptr, CUfunction, CUfunctionAttribute, CUjitOption, CUlaunchAttribute,
    CUlaunchConfig, CUmodule, CUresult, CUstream, Driver, OpenLibrary,
};

/// The driver by its own name, which under warpsan is the forwarder.
const LIBRARY: &str = "libcuda.so.1";
/// Bytes for what the driver's compiler has to say.
const LOG: usize = 4096;
/// More dynamic shared memory has to be asked for.
const USUAL_SHARED_BYTES: u32 = 48 << 10;
/// Larger clusters have to be asked for.
const USUAL_CLUSTER: u64 = 8;
const INVALID_CLUSTER_SIZE: CUresult = CUresult(912);

/// What went wrong.
#[derive(Debug, Error)]
pub(super) enum DeviceError {
    #[error("{0}")]
    Missing(String),
    #[error("{0}")]
    Refused(String),
    #[error("{0}")]
    Stopped(String),
}

/// The device, with the module of a file.
pub(super) struct Device {
    driver: Driver,
    module: CUmodule,
    streams: HashMap<u32, CUstream>,
    /// Where arrays are filled: in the default stream that would bring the launches around it into an order.
    filling: CUstream,
}

impl Device {
    /// Loads PTX to the first device.
    pub(super) fn load(ptx: &str) -> Result<Device, DeviceError> {
        let library = OpenLibrary::open(Path::new(LIBRARY))
            .map_err(|error| DeviceError::Missing(error.to_string()))?;
        let driver = Driver::of(&library);
        let (mut device, mut context) = (0, CUcontext(0));
        let missing = |function, result| {
            let checked = driver.check(function, result);
            checked.map_err(|error| DeviceError::Missing(error.to_string()))
        };
        // SAFETY: the arguments are places for the answers; the calls are in the order that the driver wants.
        unsafe {
            missing("cuInit", driver.cuInit(0))?;
            missing("cuDeviceGet", driver.cuDeviceGet(&mut device, 0))?;
            let retained = driver.cuDevicePrimaryCtxRetain(&mut context, device);
            missing("cuDevicePrimaryCtxRetain", retained)?;
            missing("cuCtxSetCurrent", driver.cuCtxSetCurrent(context))?;
        }
        let module = load_module(&driver, ptx)?;
        const NON_BLOCKING: u32 = 1;
        let mut filling = CUstream(0);
        // SAFETY: a place for a stream.
        let made = unsafe { driver.cuStreamCreate(&mut filling, NON_BLOCKING) };
        missing("cuStreamCreate", made)?;
        Ok(Device { driver, module, streams: HashMap::new(), filling })
    }

    /// The names of all kernels, as the code has them.
    pub(super) fn kernels(&self) -> Result<Vec<(String, CUfunction)>, DeviceError> {
        let mut count = 0;
        // SAFETY: a place for a number, and then so many places for handles.
        let functions = unsafe {
            let result = self.driver.cuModuleGetFunctionCount(&mut count, self.module);
            self.refused("cuModuleGetFunctionCount", result)?;
            let mut functions = vec![CUfunction(0); count as usize];
            let result =
                self.driver.cuModuleEnumerateFunctions(functions.as_mut_ptr(), count, self.module);
            self.refused("cuModuleEnumerateFunctions", result)?;
            functions
        };
        let named = functions.into_iter();
        Ok(named
            .filter_map(|function| Some((self.driver.kernel_name(function)?, function)))
            .collect())
    }

    /// The bytes of each parameter of a kernel.
    pub(super) fn parameters(&self, kernel: CUfunction) -> Result<Vec<usize>, DeviceError> {
        let mut sizes = Vec::new();
        loop {
            let (mut offset, mut size) = (0, 0);
            // SAFETY: places for two numbers.
            let result = unsafe {
                self.driver.cuFuncGetParamInfo(kernel, sizes.len(), &mut offset, &mut size)
            };
            match result {
                // There are no more.
                CUresult::INVALID_VALUE => return Ok(sizes),
                result => self.refused("cuFuncGetParamInfo", result)?,
            }
            sizes.push(size);
        }
    }

    /// Memory of so many bytes.
    pub(super) fn allocate(&self, bytes: u64) -> Result<CUdeviceptr, DeviceError> {
        let mut address = 0;
        // SAFETY: a place for an address. The driver gives nothing for no bytes.
        let result = unsafe { self.driver.cuMemAlloc_v2(&mut address, bytes.max(1) as usize) };
        self.refused("cuMemAlloc", result)?;
        Ok(address)
    }

    /// Gives memory back.
    pub(super) fn free(&self, address: CUdeviceptr) -> Result<(), DeviceError> {
        // SAFETY: memory that the driver gave, and that no launch uses any more.
        let result = unsafe { self.driver.cuMemFree_v2(address) };
        self.stopped("cuMemFree", result)
    }

    /// Makes bytes zero.
    pub(super) fn clear(&self, address: CUdeviceptr, bytes: u64) -> Result<(), DeviceError> {
        // SAFETY: the caller's own memory.
        let result =
            unsafe { self.driver.cuMemsetD8Async(address, 0, bytes as usize, self.filling) };
        self.stopped("cuMemsetD8Async", result)?;
        self.filled()
    }

    /// Copies to the device.
    pub(super) fn write(&self, address: CUdeviceptr, bytes: &[u8]) -> Result<(), DeviceError> {
        let from = bytes.as_ptr().cast();
        // SAFETY: so many bytes are there to be read, until the stream was waited for.
        let result =
            unsafe { self.driver.cuMemcpyHtoDAsync_v2(address, from, bytes.len(), self.filling) };
        self.stopped("cuMemcpyHtoDAsync", result)?;
        self.filled()
    }

    /// Waits for what was filled, and for nothing else.
    fn filled(&self) -> Result<(), DeviceError> {
        // SAFETY: a stream of this device.
        let result = unsafe { self.driver.cuStreamSynchronize(self.filling) };
        self.stopped("cuStreamSynchronize", result)
    }

    /// Copies from the device.
    pub(super) fn read(&self, bytes: &mut [u8], address: CUdeviceptr) -> Result<(), DeviceError> {
        // SAFETY: there is place for so many bytes.
        let result =
            unsafe { self.driver.cuMemcpyDtoH_v2(bytes.as_mut_ptr().cast(), address, bytes.len()) };
        self.stopped("cuMemcpyDtoH", result)
    }

    /// Launches a kernel as a line says, with these bytes for each parameter, and does not wait.
    pub(super) fn launch(
        &mut self,
        line: &LaunchLine,
        kernel: CUfunction,
        parameters: &mut [Vec<u8>],
    ) -> Result<(), DeviceError> {
        let stream = self.stream(line.stream)?;
        self.allow_what_is_unusual(line, kernel)?;
        let attributes = attributes(line);
        let config = CUlaunchConfig {
            grid: [line.grid.x, line.grid.y, line.grid.z],
            block: [line.block.x, line.block.y, line.block.z],
            shared_bytes: line.dynamic_shared_bytes,
            stream,
            attributes: attributes.as_ptr(),
            attribute_count: attributes.len() as c_uint,
        };
        let mut pointers: Vec<*mut c_void> =
            parameters.iter_mut().map(|bytes| bytes.as_mut_ptr().cast()).collect();
        // SAFETY: there is a pointer for each parameter, to as many bytes as it has, and the driver copies them
        // before it returns.
        let result = unsafe {
            self.driver.cuLaunchKernelEx(
                &config,
                kernel,
                pointers.as_mut_ptr(),
                std::ptr::null_mut(),
            )
        };
        match result {
            CUresult::INVALID_VALUE
            | CUresult::LAUNCH_OUT_OF_RESOURCES
            | CUresult::COOPERATIVE_LAUNCH_TOO_LARGE
            | CUresult::NOT_SUPPORTED
            | INVALID_CLUSTER_SIZE => self.refused("cuLaunchKernelEx", result),
            result => self.stopped("cuLaunchKernelEx", result),
        }
    }

    /// Waits until everything has ended.
    pub(super) fn synchronize(&self) -> Result<(), DeviceError> {
        // SAFETY: there is a context.
        let result = unsafe { self.driver.cuCtxSynchronize() };
        self.stopped("cuCtxSynchronize", result)
    }

    /// The stream of a number. It waits for the default stream, as those of a program do.
    fn stream(&mut self, number: Option<u32>) -> Result<CUstream, DeviceError> {
        let Some(number) = number else { return Ok(CUstream(0)) };
        if let Some(&stream) = self.streams.get(&number) {
            return Ok(stream);
        }
        let mut stream = CUstream(0);
        // SAFETY: a place for a handle.
        let result = unsafe { self.driver.cuStreamCreate(&mut stream, 0) };
        self.refused("cuStreamCreate", result)?;
        self.streams.insert(number, stream);
        Ok(stream)
    }

    /// Asks for what not every device can do.
    fn allow_what_is_unusual(
        &self,
        line: &LaunchLine,
        kernel: CUfunction,
    ) -> Result<(), DeviceError> {
        let shared_bytes = line.dynamic_shared_bytes;
        let cluster = line.cluster.map_or(1, |cluster| cluster.count());
        let set = |attribute, value| {
            // SAFETY: a kernel of this module.
            let result = unsafe { self.driver.cuFuncSetAttribute(kernel, attribute, value) };
            self.refused("cuFuncSetAttribute", result)
        };
        if shared_bytes > USUAL_SHARED_BYTES {
            let bytes = shared_bytes.try_into().unwrap_or(i32::MAX);
            set(CUfunctionAttribute::MAX_DYNAMIC_SHARED_SIZE_BYTES, bytes)?;
        }
        if cluster > USUAL_CLUSTER {
            set(CUfunctionAttribute::NON_PORTABLE_CLUSTER_SIZE_ALLOWED, 1)?;
        }
        Ok(())
    }

    fn refused(&self, function: &'static str, result: CUresult) -> Result<(), DeviceError> {
        let checked = self.driver.check(function, result);
        checked.map_err(|error| DeviceError::Refused(error.to_string()))
    }

    fn stopped(&self, function: &'static str, result: CUresult) -> Result<(), DeviceError> {
        let checked = self.driver.check(function, result);
        checked.map_err(|error| DeviceError::Stopped(error.to_string()))
    }
}

/// Loads a module, and says what the driver's compiler has against it.
fn load_module(driver: &Driver, ptx: &str) -> Result<CUmodule, DeviceError> {
    let refused = |reason: String| Err(DeviceError::Refused(reason));
    let Ok(image) = CString::new(ptx) else { return refused("a zero is in the PTX".to_string()) };
    let mut log = vec![0_u8; LOG];
    let options = [CUjitOption::ERROR_LOG_BUFFER, CUjitOption::ERROR_LOG_BUFFER_SIZE_BYTES];
    let values = [log.as_mut_ptr().cast(), LOG as *mut c_void];
    let mut module = CUmodule(0);
    // SAFETY: the options say where the log is and how long; the image ends with a zero.
    let result = unsafe {
        driver.cuModuleLoadDataEx(
            &mut module,
            image.as_ptr().cast(),
            options.len() as c_uint,
            options.as_ptr(),
            values.as_ptr(),
        )
    };
    if let Err(error) = driver.check("cuModuleLoadDataEx", result) {
        let end = log.len() - 1;
        log[end] = 0;
        // SAFETY: the last byte is a zero.
        let words = unsafe { CStr::from_ptr(log.as_ptr().cast::<c_char>()) }.to_string_lossy();
        return refused(format!("{error}: {}", words.trim()));
    }
    Ok(module)
}

/// What a launch says beside its extents.
fn attributes(line: &LaunchLine) -> Vec<CUlaunchAttribute> {
    let attribute = |id, value: [u64; 2]| CUlaunchAttribute {
        id,
        padding: 0,
        value: [value[0], value[1], 0, 0, 0, 0, 0, 0],
    };
    let mut attributes = Vec::new();
    if line.cooperative {
        attributes.push(attribute(CUlaunchAttribute::COOPERATIVE, [1, 0]));
    }
    if let Some(cluster) = line.cluster {
        let low = u64::from(cluster.x) | u64::from(cluster.y) << 32;
        attributes
            .push(attribute(CUlaunchAttribute::CLUSTER_DIMENSION, [low, u64::from(cluster.z)]));
    }
    attributes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_of_a_launch_are_attributes() {
        let line = |text| LaunchLine::parse(text, 1).expect("a launch");
        assert_eq!(attributes(&line("k<<<1, 2, 64>>>()")), []);
        let both = attributes(&line("k<<<(2, 3, 4), 2, cluster=(2, 3, 4), cooperative>>>()"));
        let ids: Vec<_> = both.iter().map(|attribute| attribute.id).collect();
        assert_eq!(ids, [CUlaunchAttribute::COOPERATIVE, CUlaunchAttribute::CLUSTER_DIMENSION]);
        assert_eq!((both[0].numbers()[0], both[1].numbers()), (1, [2, 3, 4]));
    }
}
