//! The error that a kernel has left on the device.

use super::error::CudaError;
use crate::RuntimeError;
use std::sync::atomic::{AtomicI32, Ordering};

/// The error that has spoilt the device for the rest of the process, or 0.
static STICKY_ERROR: AtomicI32 = AtomicI32::new(0);

/// The failure of an earlier kernel, which every call on the device answers.
pub fn check() -> Result<(), CudaError> {
    match STICKY_ERROR.load(Ordering::Acquire) {
        0 => Ok(()),
        code => Err(CudaError(code)),
    }
}

/// Forgets a kernel's failure, as resetting the device does.
pub(super) fn clear() {
    STICKY_ERROR.store(0, Ordering::Release);
}

/// Work of the device has failed, after the call that asked for it has returned. The first failure counts.
pub(super) fn set(error: RuntimeError) {
    let failure = match error {
        RuntimeError::InvalidAddress(_) => CudaError::ILLEGAL_ADDRESS,
        other => CudaError::from(other),
    };
    // A second failure leaves the first in place; there is nothing to do about it.
    let _ = STICKY_ERROR.compare_exchange(0, failure.0, Ordering::AcqRel, Ordering::Acquire);
}
