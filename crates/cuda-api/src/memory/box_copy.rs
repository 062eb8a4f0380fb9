//! Copies of rows and of boxes. CUDA arrays are not supported.

use crate::call::call;
use crate::device::limits::check_device;
use crate::handles::{address_of, stream_of};
use crate::memory::types::PeerBoxCopyParameters;
use crate::types::CudaStream;
use std::ffi::{c_int, c_void};
use warpsan_runtime::machine::boxes::{BoxCopyParameters, BoxOfMemory, Extent};
use warpsan_runtime::machine::copy_kind::DEVICE_TO_DEVICE;
use warpsan_runtime::machine::error::CudaError;
use warpsan_runtime::machine::state::Machine;
use warpsan_runtime::machine::streams::StreamHandle;
use warpsan_runtime::machine::transfers::{BoxCopy, Returns};

fn copy_box(
    entry_point: &'static str,
    (stream, returns): (StreamHandle, Returns),
    asked: impl FnOnce(&mut Machine) -> Result<Option<BoxCopy>, CudaError>,
) -> CudaError {
    call(entry_point, |machine| match asked(machine)? {
        Some(copy) => machine.copy_box(copy, stream, returns),
        None => Ok(()),
    })
}

fn copy_in_stream(
    entry_point: &'static str,
    stream: CudaStream,
    asked: impl FnOnce(&mut Machine) -> Result<Option<BoxCopy>, CudaError>,
) -> CudaError {
    copy_box(entry_point, (stream_of(stream), Returns::Soon), asked)
}

fn copy_and_wait(
    entry_point: &'static str,
    asked: impl FnOnce(&mut Machine) -> Result<Option<BoxCopy>, CudaError>,
) -> CudaError {
    copy_box(entry_point, (StreamHandle::DEFAULT, Returns::Afterwards), asked)
}

/// A copy of rows as `cudaMemcpy2D` asks for it.
///
/// # Safety
/// The program copies between its own places.
unsafe fn rows_asked(
    (to, to_pitch): (*mut c_void, usize),
    (from, from_pitch): (*const c_void, usize),
    (width, height): (usize, usize),
    kind: c_int,
) -> Result<Option<BoxCopy>, CudaError> {
    // SAFETY: passed on from the caller.
    let (to, from) = unsafe { (address_of(to), address_of(from)) };
    let to = BoxOfMemory::of_rows(to, to_pitch);
    let from = BoxOfMemory::of_rows(from, from_pitch);
    // Of a single row the pitch is checked as well, with another error.
    if height == 1 && (width > to_pitch || width > from_pitch) {
        return Err(CudaError::INVALID_VALUE);
    }
    Ok(Some(BoxCopy { to, from, extent: Extent { width, height, depth: 1 }, kind }))
}

/// # Safety
/// `parameters` is null or the parameters of a copy between places of the program.
unsafe fn parameters_asked(
    machine: &mut Machine,
    parameters: *const BoxCopyParameters,
) -> Result<Option<BoxCopy>, CudaError> {
    // SAFETY: passed on from the caller.
    let asked = unsafe { parameters.as_ref() }.ok_or(CudaError::INVALID_VALUE)?;
    machine.described_box(asked)
}

/// # Safety
/// `parameters` is null or the parameters of a copy between places of the program.
unsafe fn peer_parameters_asked(
    machine: &mut Machine,
    parameters: *const PeerBoxCopyParameters,
) -> Result<Option<BoxCopy>, CudaError> {
    // SAFETY: passed on from the caller.
    let asked = unsafe { parameters.as_ref() }.ok_or(CudaError::INVALID_VALUE)?;
    check_device(asked.to_device)?;
    check_device(asked.from_device)?;
    let PeerBoxCopyParameters { from, to, extent, .. } = *asked;
    machine.described_box(&BoxCopyParameters { from, to, extent, kind: DEVICE_TO_DEVICE })
}

#[unsafe(no_mangle)]
unsafe extern "C" fn wsrt_cudaMemcpy2DAsync(
    to: *mut c_void,
    to_pitch: usize,
    from: *const c_void,
    from_pitch: usize,
    width: usize,
    height: usize,
    kind: c_int,
    stream: CudaStream,
) -> CudaError {
    // SAFETY: the program copies between its own places.
    let asked = unsafe { rows_asked((to, to_pitch), (from, from_pitch), (width, height), kind) };
    copy_in_stream("cudaMemcpy2DAsync", stream, |_| asked)
}

#[unsafe(no_mangle)]
unsafe extern "C" fn wsrt_cudaMemcpy2D(
    to: *mut c_void,
    to_pitch: usize,
    from: *const c_void,
    from_pitch: usize,
    width: usize,
    height: usize,
    kind: c_int,
) -> CudaError {
    // SAFETY: the program copies between its own places.
    let asked = unsafe { rows_asked((to, to_pitch), (from, from_pitch), (width, height), kind) };
    copy_and_wait("cudaMemcpy2D", |_| asked)
}

#[unsafe(no_mangle)]
unsafe extern "C" fn wsrt_cudaMemcpy3DAsync(
    parameters: *const BoxCopyParameters,
    stream: CudaStream,
) -> CudaError {
    copy_in_stream("cudaMemcpy3DAsync", stream, |machine| {
        // SAFETY: the program passes parameters, and copies between its own places.
        unsafe { parameters_asked(machine, parameters) }
    })
}

#[unsafe(no_mangle)]
unsafe extern "C" fn wsrt_cudaMemcpy3D(parameters: *const BoxCopyParameters) -> CudaError {
    copy_and_wait("cudaMemcpy3D", |machine| {
        // SAFETY: the program passes parameters, and copies between its own places.
        unsafe { parameters_asked(machine, parameters) }
    })
}

#[unsafe(no_mangle)]
unsafe extern "C" fn wsrt_cudaMemcpy3DPeerAsync(
    parameters: *const PeerBoxCopyParameters,
    stream: CudaStream,
) -> CudaError {
    copy_in_stream("cudaMemcpy3DPeerAsync", stream, |machine| {
        // SAFETY: the program passes parameters, and copies between its own places.
        unsafe { peer_parameters_asked(machine, parameters) }
    })
}

#[unsafe(no_mangle)]
unsafe extern "C" fn wsrt_cudaMemcpy3DPeer(parameters: *const PeerBoxCopyParameters) -> CudaError {
    copy_and_wait("cudaMemcpy3DPeer", |machine| {
        // SAFETY: the program passes parameters, and copies between its own places.
        unsafe { peer_parameters_asked(machine, parameters) }
    })
}
