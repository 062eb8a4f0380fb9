//! Answers, written to places that the program passes.

use warpsan_runtime::machine::error::CudaError;

/// Writes an answer to a place that the program passes.
///
/// # Safety
/// `place` is null or a place for a `T`.
pub(crate) unsafe fn answer<T>(place: *mut T, value: T) -> Result<(), CudaError> {
    if place.is_null() {
        return Err(CudaError::INVALID_VALUE);
    }
    // SAFETY: not null, so it is a place for a `T`.
    unsafe { place.write(value) };
    Ok(())
}

/// Writes an answer to a place that the program need not pass.
///
/// # Safety
/// `place` is null or a place for a `T`.
pub(crate) unsafe fn answer_if_wanted<T>(place: *mut T, value: T) {
    // SAFETY: passed on from the caller. Without a place nobody wants to know.
    let _ = unsafe { answer(place, value) };
}
