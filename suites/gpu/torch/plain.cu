// Kernels behind functions of C, which Python calls by ctypes with the addresses of PyTorch's tensors.
#include <cstdint>
#include <cuda_runtime.h>

constexpr int THREADS = 128;

__global__ void interleave(const int* a, const int* b, int* out, int64_t count) {
    int64_t i = static_cast<int64_t>(blockIdx.x) * THREADS + threadIdx.x;
    if (i < count) {
        out[2 * i] = a[i];
        out[2 * i + 1] = b[i];
    }
}

extern "C" int interleave_on_stream(const int* a, const int* b, int* out, int64_t count, void* stream) {
    unsigned blocks = static_cast<unsigned>((count + THREADS - 1) / THREADS);
    interleave<<<blocks, THREADS, 0, static_cast<cudaStream_t>(stream)>>>(a, b, out, count);
    return static_cast<int>(cudaGetLastError());
}
