//! What is not answered yet.

use crate::call::{Api, call_without_device};
use crate::error::CudaError;
use std::ffi::{CStr, c_char};

/// Records an entry point, or a use of one, that is not answered.
pub(crate) fn refuse<T>(api: &mut Api, what: &str) -> Result<T, CudaError> {
    api.session()?.not_supported(what);
    Err(CudaError::NOT_SUPPORTED)
}

/// Every entry point without a function of its own jumps here, with its name in place of its
/// first argument.
#[unsafe(no_mangle)]
unsafe extern "C" fn wsrt_unsupported(entry_point: *const c_char) -> CudaError {
    // SAFETY: the jump table passes a string of its own.
    let entry_point = unsafe { CStr::from_ptr(entry_point) }.to_string_lossy();
    call_without_device(&entry_point, |api| refuse(api, &entry_point))
}
