//! The last error of a thread, and what errors are called.

use crate::call::{last_error, take_last_error};
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
    error.name().as_ptr()
}

#[unsafe(no_mangle)]
extern "C" fn wsrt_cudaGetErrorString(error: CudaError) -> *const c_char {
    error.description().as_ptr()
}
