//! `cudaMemcpyKind`: where a copy goes from and to, as the program says.

use std::ffi::c_int;

/// `cudaMemcpyHostToHost`.
pub const HOST_TO_HOST: c_int = 0;
/// `cudaMemcpyHostToDevice`.
pub const HOST_TO_DEVICE: c_int = 1;
/// `cudaMemcpyDeviceToHost`.
pub const DEVICE_TO_HOST: c_int = 2;
/// `cudaMemcpyDeviceToDevice`.
pub const DEVICE_TO_DEVICE: c_int = 3;
/// `cudaMemcpyDefault`.
pub const DEFAULT_KIND: c_int = 4;
