// Names and descriptions of errors, known and unknown.
// verdict: clean
#include "check.h"

int main() {
    const cudaError_t errors[] = {
        cudaSuccess, cudaErrorInvalidValue, cudaErrorMemoryAllocation, cudaErrorInitializationError,
        cudaErrorInvalidConfiguration, cudaErrorInvalidDevice, cudaErrorInvalidResourceHandle, cudaErrorNotReady,
        cudaErrorIllegalAddress, cudaErrorMisalignedAddress, cudaErrorAssert, cudaErrorLaunchFailure,
        cudaErrorNotSupported, cudaErrorStreamCaptureUnsupported, cudaErrorCooperativeLaunchTooLarge,
        cudaErrorNoKernelImageForDevice, cudaErrorInvalidSymbol, cudaErrorUnknown, static_cast<cudaError_t>(123456),
    };
    for (cudaError_t error : errors) {
        std::printf("%d %s: %s\n", static_cast<int>(error), cudaGetErrorName(error), cudaGetErrorString(error));
    }
    return 0;
}
