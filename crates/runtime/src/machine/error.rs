//! Error codes of CUDA, and how the errors of a session become them. The numbers are those of the runtime API; the
//! driver's API has the same ones for nearly all.

use crate::RuntimeError;
use std::ffi::c_int;

/// A `cudaError_t`: what a call answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(transparent)]
pub struct CudaError(pub c_int);

impl CudaError {
    /// `cudaSuccess`.
    pub const SUCCESS: CudaError = CudaError(0);
    /// `cudaErrorInvalidValue`.
    pub const INVALID_VALUE: CudaError = CudaError(1);
    /// `cudaErrorMemoryAllocation`.
    pub const MEMORY_ALLOCATION: CudaError = CudaError(2);
    /// `cudaErrorInitializationError`.
    pub const INITIALIZATION_ERROR: CudaError = CudaError(3);
    /// `cudaErrorCudartUnloading`.
    pub const CUDART_UNLOADING: CudaError = CudaError(4);
    /// `cudaErrorInvalidPitchValue`.
    pub const INVALID_PITCH_VALUE: CudaError = CudaError(12);
    /// `cudaErrorInvalidSymbol`.
    pub const INVALID_SYMBOL: CudaError = CudaError(13);
    /// `cudaErrorInvalidMemcpyDirection`.
    pub const INVALID_MEMCPY_DIRECTION: CudaError = CudaError(21);
    /// `cudaErrorMissingConfiguration`.
    pub const MISSING_CONFIGURATION: CudaError = CudaError(52);
    /// `cudaErrorInvalidDeviceFunction`.
    pub const INVALID_DEVICE_FUNCTION: CudaError = CudaError(98);
    /// `cudaErrorInvalidDevice`.
    pub const INVALID_DEVICE: CudaError = CudaError(101);
    /// `cudaErrorUnsupportedLimit`.
    pub const UNSUPPORTED_LIMIT: CudaError = CudaError(215);
    /// `cudaErrorPeerAccessUnsupported`.
    pub const PEER_ACCESS_UNSUPPORTED: CudaError = CudaError(217);
    /// `cudaErrorIllegalState`.
    pub const ILLEGAL_STATE: CudaError = CudaError(401);
    /// `cudaErrorInvalidResourceHandle`.
    pub const INVALID_RESOURCE_HANDLE: CudaError = CudaError(400);
    /// `cudaErrorInvalidPtx`.
    pub const INVALID_PTX: CudaError = CudaError(218);
    /// `cudaErrorFileNotFound`.
    pub const FILE_NOT_FOUND: CudaError = CudaError(301);
    /// `cudaErrorSymbolNotFound`.
    pub const SYMBOL_NOT_FOUND: CudaError = CudaError(500);
    /// `cudaErrorNotReady`.
    pub const NOT_READY: CudaError = CudaError(600);
    /// `cudaErrorIllegalAddress`.
    pub const ILLEGAL_ADDRESS: CudaError = CudaError(700);
    /// `cudaErrorLaunchTimeout`.
    pub const LAUNCH_TIMEOUT: CudaError = CudaError(702);
    /// `cudaErrorPeerAccessNotEnabled`.
    pub const PEER_ACCESS_NOT_ENABLED: CudaError = CudaError(705);
    /// `cudaErrorHostMemoryAlreadyRegistered`.
    pub const HOST_MEMORY_ALREADY_REGISTERED: CudaError = CudaError(712);
    /// `cudaErrorHostMemoryNotRegistered`.
    pub const HOST_MEMORY_NOT_REGISTERED: CudaError = CudaError(713);
    /// `cudaErrorAssert`.
    pub const ASSERT: CudaError = CudaError(710);
    /// `cudaErrorMisalignedAddress`.
    pub const MISALIGNED_ADDRESS: CudaError = CudaError(716);
    /// `cudaErrorCooperativeLaunchTooLarge`.
    pub const COOPERATIVE_LAUNCH_TOO_LARGE: CudaError = CudaError(720);
    /// `cudaErrorStreamCaptureUnsupported`.
    pub const STREAM_CAPTURE_UNSUPPORTED: CudaError = CudaError(900);
    /// `cudaErrorStreamCaptureInvalidated`.
    pub const STREAM_CAPTURE_INVALIDATED: CudaError = CudaError(901);
    /// `cudaErrorStreamCaptureMerge`.
    pub const STREAM_CAPTURE_MERGE: CudaError = CudaError(902);
    /// `cudaErrorStreamCaptureUnmatched`.
    pub const STREAM_CAPTURE_UNMATCHED: CudaError = CudaError(903);
    /// `cudaErrorStreamCaptureUnjoined`.
    pub const STREAM_CAPTURE_UNJOINED: CudaError = CudaError(904);
    /// `cudaErrorStreamCaptureIsolation`.
    pub const STREAM_CAPTURE_ISOLATION: CudaError = CudaError(905);
    /// `cudaErrorStreamCaptureImplicit`.
    pub const STREAM_CAPTURE_IMPLICIT: CudaError = CudaError(906);
    /// `cudaErrorCapturedEvent`.
    pub const CAPTURED_EVENT: CudaError = CudaError(907);
    /// `cudaErrorStreamCaptureWrongThread`.
    pub const STREAM_CAPTURE_WRONG_THREAD: CudaError = CudaError(908);
    /// `cudaErrorGraphExecUpdateFailure`.
    pub const GRAPH_EXEC_UPDATE_FAILURE: CudaError = CudaError(910);
    /// `cudaErrorInvalidClusterSize`.
    pub const INVALID_CLUSTER_SIZE: CudaError = CudaError(912);
    /// `cudaErrorLaunchFailure`.
    pub const LAUNCH_FAILURE: CudaError = CudaError(719);
    /// `cudaErrorNotPermitted`.
    pub const NOT_PERMITTED: CudaError = CudaError(800);
    /// `cudaErrorNotSupported`. It comes of a [`Refusal`](crate::Refusal) alone.
    const NOT_SUPPORTED: CudaError = CudaError(801);
    /// `cudaErrorUnknown`: a bug of warpsan, which is in the report.
    pub(super) const UNKNOWN: CudaError = CudaError(999);
}

/// The code of an error in a call. A kernel that used a wrong address is the exception: see `sticky.rs`.
impl From<RuntimeError> for CudaError {
    fn from(error: RuntimeError) -> Self {
        match error {
            RuntimeError::InvalidValue(_) | RuntimeError::InvalidAddress(_) => {
                CudaError::INVALID_VALUE
            }
            RuntimeError::InvalidDeviceFunction(_) | RuntimeError::Unreadable(_) => {
                CudaError::INVALID_DEVICE_FUNCTION
            }
            RuntimeError::OutOfMemory(_) | RuntimeError::NoRoom(_) => CudaError::MEMORY_ALLOCATION,
            RuntimeError::NotSupported(_) => CudaError::NOT_SUPPORTED,
            RuntimeError::CodeIsGone(_) => CudaError::CUDART_UNLOADING,
            RuntimeError::LaunchFailed(_) => CudaError::LAUNCH_FAILURE,
            RuntimeError::LaunchTimeout(_) => CudaError::LAUNCH_TIMEOUT,
            // A launch whose extents are out of range is refused by the driver, which calls every
            // argument that it cannot take an invalid value.
            RuntimeError::InvalidConfiguration(_) => CudaError::INVALID_VALUE,
            RuntimeError::MisalignedAddress(_) => CudaError::MISALIGNED_ADDRESS,
            RuntimeError::AssertionFailed(_) => CudaError::ASSERT,
            RuntimeError::Internal(_) => CudaError::UNKNOWN,
        }
    }
}
