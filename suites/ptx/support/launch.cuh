// The few lines of host code that every program of this folder shares.
// NVRTC, which compiles the device code alone, sees the integer types of the first branch and nothing else.
#pragma once

#ifdef __CUDACC_RTC__

using int8_t = signed char;
using uint8_t = unsigned char;
using int16_t = short;
using uint16_t = unsigned short;
using int32_t = int;
using uint32_t = unsigned;
using int64_t = long long;
using uint64_t = unsigned long long;

#else

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cuda_runtime.h>

namespace corpus {

// Says what a call of the runtime answered; true when it succeeded.
inline bool succeeded(cudaError_t status, const char *what)
{
    if (status != cudaSuccess) {
        std::printf("failed: %s: %s\n", what, cudaGetErrorString(status));
        return false;
    }
    return true;
}

// Zeroed device memory. It is never freed: these programs end at once.
template <typename T> inline T *device_array(std::size_t count)
{
    void *memory = nullptr;
    if (!succeeded(cudaMalloc(&memory, count * sizeof(T)), "cudaMalloc")) {
        return nullptr;
    }
    succeeded(cudaMemset(memory, 0, count * sizeof(T)), "cudaMemset");
    return static_cast<T *>(memory);
}

// One element of device memory, read back after all the work before it.
template <typename T> inline T read_back(const T *memory, std::size_t index = 0)
{
    T value{};
    succeeded(cudaMemcpy(&value, memory + index, sizeof(T), cudaMemcpyDeviceToHost), "cudaMemcpy");
    return value;
}

// True where the first device is at least of this compute capability (90 for 9.0).
inline bool device_has(int capability)
{
    int major = 0;
    int minor = 0;
    cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, 0);
    cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, 0);
    return major * 10 + minor >= capability;
}

// Waits for the device and turns the outcome into an exit status.
inline int finish(const char *program, bool correct = true)
{
    if (!succeeded(cudaGetLastError(), "launch") || !succeeded(cudaDeviceSynchronize(), "run")) {
        return 1;
    }
    std::printf("%s %s\n", correct ? "ok" : "wrong", program);
    return correct ? 0 : 1;
}

} // namespace corpus

#endif
