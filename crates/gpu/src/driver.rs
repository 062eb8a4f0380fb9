//! The real driver: a table of its functions, each looked up by name.

use crate::driver_library::OpenLibrary;
use crate::driver_types::{
    CUdevice, CUdeviceAttribute, CUfunction, CUkernel, CUresult, CUstreamCaptureMode,
};
use std::ffi::{CStr, c_char, c_int};

pub use crate::driver_functions::Driver;

/// What the driver said when something that we need of it failed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{function} answers {name}")]
pub struct DriverError {
    /// The function that was called.
    pub function: &'static str,
    /// Its answer.
    pub result: CUresult,
    /// The name of the answer.
    pub name: String,
}

impl Driver {
    /// The driver in a library that is open. Functions that it lacks answer [`CUresult::NOT_FOUND`].
    pub fn of(library: &OpenLibrary) -> Driver {
        Driver::by_names(|name| library.symbol(name))
    }

    /// The name of an answer, as `CUDA_ERROR_INVALID_VALUE`.
    pub fn error_name(&self, result: CUresult) -> String {
        let mut name: *const c_char = std::ptr::null();
        // SAFETY: a place for a pointer.
        let answer = unsafe { self.cuGetErrorName(result, &mut name) };
        if !answer.is_success() || name.is_null() {
            return format!("error {}", result.0);
        }
        // SAFETY: the driver's names are texts that stay.
        unsafe { CStr::from_ptr(name) }.to_string_lossy().into_owned()
    }

    /// Nothing, or an error with the names of the function and of its answer.
    pub fn check(&self, function: &'static str, result: CUresult) -> Result<(), DriverError> {
        result.ok().map_err(|result| DriverError {
            function,
            result,
            name: self.error_name(result),
        })
    }

    /// The name of a kernel: of a function of a module, or of one of a library, which programs launch by the same
    /// calls.
    pub fn kernel_name(&self, function: CUfunction) -> Option<String> {
        let mut name: *const c_char = std::ptr::null();
        // SAFETY: a place for a pointer; a handle of the other kind is refused.
        unsafe {
            if !self.cuFuncGetName(&mut name, function).is_success() {
                self.cuKernelGetName(&mut name, CUkernel(function.0)).ok().ok()?;
            }
            // The driver's names are texts that stay as long as their code.
            (!name.is_null()).then(|| CStr::from_ptr(name).to_string_lossy().into_owned())
        }
    }

    /// For a thread of ours: what it asks the driver does not break captures that threads of the program have begun, and is
    /// not refused for them.
    pub(crate) fn spare_captures(&self) {
        let mut mode = CUstreamCaptureMode::RELAXED;
        // SAFETY: a place for a mode, which gets the one before.
        unsafe { self.cuThreadExchangeStreamCaptureMode(&mut mode) };
    }

    /// An attribute of a device.
    pub fn device_attribute(
        &self,
        attribute: CUdeviceAttribute,
        device: CUdevice,
    ) -> Result<c_int, DriverError> {
        let mut value = 0;
        // SAFETY: a place for a number.
        let result = unsafe { self.cuDeviceGetAttribute(&mut value, attribute, device) };
        self.check("cuDeviceGetAttribute", result)?;
        Ok(value)
    }
}
