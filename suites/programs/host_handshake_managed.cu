// The host lets two running kernels of two streams go on, one after the other, through managed numbers.
// verdict: clean
#include "check.h"
#include <cuda/atomic>

using Shared = cuda::atomic_ref<int, cuda::thread_scope_system>;

__managed__ int gates[2];
__managed__ int passed[2];

__global__ void wait_at(int gate, int* target) {
    if (threadIdx.x == 0) {
        while (Shared(gates[gate]).load(cuda::memory_order_relaxed) == 0) {
        }
        Shared(passed[gate]).store(gate + 10, cuda::memory_order_relaxed);
    }
    __syncthreads();
    target[threadIdx.x] = gate + threadIdx.x;
}

int main() {
    int concurrent = 0;
    CHECK(cudaDeviceGetAttribute(&concurrent, cudaDevAttrConcurrentManagedAccess, 0));
    std::printf("host and device can use managed memory at once: %d\n", concurrent);
    int* targets[2];
    cudaStream_t streams[2];
    for (int i = 0; i < 2; i++) {
        CHECK(cudaMalloc(&targets[i], 32 * sizeof(int)));
        CHECK(cudaStreamCreateWithFlags(&streams[i], cudaStreamNonBlocking));
    }
    for (int i = 0; i < 2; i++) {
        wait_at<<<1, 32, 0, streams[i]>>>(i, targets[i]);
        CHECK(cudaGetLastError());
    }
    for (int i = 1; i >= 0; i--) {
        std::printf("stream %d: %s\n", i, cudaGetErrorName(cudaStreamQuery(streams[i])));
        Shared(gates[i]).store(1, cuda::memory_order_relaxed);
        while (Shared(passed[i]).load(cuda::memory_order_relaxed) == 0) {
        }
        CHECK(cudaStreamSynchronize(streams[i]));
        int last = 0;
        CHECK(cudaMemcpyAsync(&last, targets[i] + 31, sizeof last, cudaMemcpyDeviceToHost, streams[i]));
        CHECK(cudaStreamSynchronize(streams[i]));
        std::printf("passed %d, last number %d\n", passed[i], last);
    }
    for (int i = 0; i < 2; i++) {
        CHECK(cudaStreamDestroy(streams[i]));
        CHECK(cudaFree(targets[i]));
    }
    return 0;
}
