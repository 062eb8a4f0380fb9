//! The last error of a thread, and what errors are called.

use crate::call::{last_error, take_last_error};
use crate::error_names::{description_of, name_of};
use std::ffi::c_char;
use warpsan_runtime::machine::error::CudaError;

#[unsafe(no_mangle)]
extern "C" fn wsrt_cudaGetLastError() -> CudaError {
    take_last_error()
}

#[unsafe(no_mangle)]
extern "C" fn wsrt_cudaPeekAtLastError() -> CudaError {
    last_error()
}

#[unsafe(no_mangle)]
extern "C" fn wsrt_cudaGetErrorName(error: CudaError) -> *const c_char {
    name_of(error).as_ptr()
}

#[unsafe(no_mangle)]
extern "C" fn wsrt_cudaGetErrorString(error: CudaError) -> *const c_char {
    description_of(error).as_ptr()
}
