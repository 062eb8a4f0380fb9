//! Copies of rows and of boxes. CUDA arrays are not supported.

use crate::boxes::BoxOfMemory;
use crate::call::{Api, call};
use crate::copy::{DEFAULT_KIND, Returns, checked_copy, submit_copies};
use crate::device::check_device;
use crate::error::CudaError;
use crate::memory_types::{BoxCopyParameters, BoxSide, Extent, PeerBoxCopyParameters};
use crate::types::CudaStream;
use crate::unsupported::refuse;
use std::ffi::{c_int, c_void};
use warpsan_runtime::Transfer;

/// A copy of a box of memory.
#[derive(Clone, Copy)]
pub(crate) struct BoxCopy {
    to: BoxOfMemory,
    from: BoxOfMemory,
    extent: Extent,
    kind: c_int,
}

impl BoxCopy {
    /// The copies of all rows, checked.
    pub(crate) fn rows(&self, api: &mut Api) -> Result<Vec<Transfer>, CudaError> {
        let BoxCopy { to, from, extent, kind } = *self;
        let mut rows = Vec::new();
        if extent.is_empty() {
            return Ok(rows);
        }
        if !to.has_room_for(extent) || !from.has_room_for(extent) {
            return Err(CudaError::INVALID_PITCH_VALUE);
        }
        to.check_is_allocated(api, extent)?;
        from.check_is_allocated(api, extent)?;
        for slice in 0..extent.depth {
            for row in 0..extent.height {
                let (to, from) = (to.row(slice, row), from.row(slice, row));
                rows.extend(checked_copy(api, to, from, extent.width, kind)?);
            }
        }
        Ok(rows)
    }
}

/// # Safety
/// As for [`submit_copies`], for every row.
unsafe fn copy_box(
    entry_point: &'static str,
    (stream, returns): (CudaStream, Returns),
    asked: impl FnOnce(&mut Api) -> Result<Option<BoxCopy>, CudaError>,
) -> CudaError {
    call(entry_point, |api| {
        let Some(box_copy) = asked(api)? else { return Ok(()) };
        api.streams.check(stream)?;
        let rows = box_copy.rows(api)?;
        // SAFETY: passed on from the caller.
        unsafe { submit_copies(api, stream, rows, returns) }
    })
}

/// # Safety
/// As for [`copy_box`].
unsafe fn copy_in_stream(
    entry_point: &'static str,
    stream: CudaStream,
    asked: impl FnOnce(&mut Api) -> Result<Option<BoxCopy>, CudaError>,
) -> CudaError {
    // SAFETY: passed on from the caller.
    unsafe { copy_box(entry_point, (stream, Returns::Soon), asked) }
}

/// # Safety
/// As for [`copy_box`].
unsafe fn copy_and_wait(
    entry_point: &'static str,
    asked: impl FnOnce(&mut Api) -> Result<Option<BoxCopy>, CudaError>,
) -> CudaError {
    // SAFETY: passed on from the caller.
    unsafe { copy_box(entry_point, (std::ptr::null_mut(), Returns::Afterwards), asked) }
}

/// A copy of rows as `cudaMemcpy2D` asks for it.
fn rows_asked(
    (to, to_pitch): (*mut c_void, usize),
    (from, from_pitch): (*const c_void, usize),
    (width, height): (usize, usize),
    kind: c_int,
) -> Result<Option<BoxCopy>, CudaError> {
    let to = BoxOfMemory::of_rows(to, to_pitch);
    let from = BoxOfMemory::of_rows(from.cast_mut(), from_pitch);
    // Of a single row the pitch is checked as well, with another error.
    if height == 1 && (width > to_pitch || width > from_pitch) {
        return Err(CudaError::INVALID_VALUE);
    }
    Ok(Some(BoxCopy { to, from, extent: Extent { width, height, depth: 1 }, kind }))
}

/// A copy of a box between two sides, or nothing where the box is empty.
pub(crate) fn box_asked(
    api: &mut Api,
    to: &BoxSide,
    from: &BoxSide,
    extent: Extent,
    kind: c_int,
) -> Result<Option<BoxCopy>, CudaError> {
    if extent.is_empty() {
        return Ok(None);
    }
    if !(0..=DEFAULT_KIND).contains(&kind) {
        return Err(CudaError::INVALID_MEMCPY_DIRECTION);
    }
    if !to.array.is_null() || !from.array.is_null() {
        return refuse(api, "cudaMemcpy3D of a CUDA array");
    }
    let to = BoxOfMemory::of_side(to, extent)?;
    let from = BoxOfMemory::of_side(from, extent)?;
    Ok(Some(BoxCopy { to, from, extent, kind }))
}

/// # Safety
/// `parameters` is null or the parameters of a copy.
unsafe fn parameters_asked(
    api: &mut Api,
    parameters: *const BoxCopyParameters,
) -> Result<Option<BoxCopy>, CudaError> {
    // SAFETY: passed on from the caller.
    let asked = unsafe { parameters.as_ref() }.ok_or(CudaError::INVALID_VALUE)?;
    box_asked(api, &asked.to, &asked.from, asked.extent, asked.kind)
}

/// # Safety
/// `parameters` is null or the parameters of a copy.
unsafe fn peer_parameters_asked(
    api: &mut Api,
    parameters: *const PeerBoxCopyParameters,
) -> Result<Option<BoxCopy>, CudaError> {
    // SAFETY: passed on from the caller.
    let asked = unsafe { parameters.as_ref() }.ok_or(CudaError::INVALID_VALUE)?;
    check_device(asked.to_device)?;
    check_device(asked.from_device)?;
    box_asked(api, &asked.to, &asked.from, asked.extent, crate::copy::DEVICE_TO_DEVICE)
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
    let asked = |_: &mut Api| rows_asked((to, to_pitch), (from, from_pitch), (width, height), kind);
    // SAFETY: the program copies between its own places.
    unsafe { copy_in_stream("cudaMemcpy2DAsync", stream, asked) }
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
    let asked = |_: &mut Api| rows_asked((to, to_pitch), (from, from_pitch), (width, height), kind);
    // SAFETY: the program copies between its own places.
    unsafe { copy_and_wait("cudaMemcpy2D", asked) }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn wsrt_cudaMemcpy3DAsync(
    parameters: *const BoxCopyParameters,
    stream: CudaStream,
) -> CudaError {
    // SAFETY: the program passes parameters, and copies between its own places.
    unsafe { copy_in_stream("cudaMemcpy3DAsync", stream, |api| parameters_asked(api, parameters)) }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn wsrt_cudaMemcpy3D(parameters: *const BoxCopyParameters) -> CudaError {
    // SAFETY: the program passes parameters, and copies between its own places.
    unsafe { copy_and_wait("cudaMemcpy3D", |api| parameters_asked(api, parameters)) }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn wsrt_cudaMemcpy3DPeerAsync(
    parameters: *const PeerBoxCopyParameters,
    stream: CudaStream,
) -> CudaError {
    // SAFETY: the program passes parameters, and copies between its own places.
    unsafe {
        copy_in_stream("cudaMemcpy3DPeerAsync", stream, |api| {
            peer_parameters_asked(api, parameters)
        })
    }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn wsrt_cudaMemcpy3DPeer(parameters: *const PeerBoxCopyParameters) -> CudaError {
    // SAFETY: the program passes parameters, and copies between its own places.
    unsafe { copy_and_wait("cudaMemcpy3DPeer", |api| peer_parameters_asked(api, parameters)) }
}
