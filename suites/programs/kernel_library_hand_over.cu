// One block hands numbers to another with an atomic of the device's C++ library: release and acquire.
// verdict: clean
#include "check.h"
#include <cuda/atomic>

__global__ void hand_over(int* flag, int* data, int* out) {
    cuda::atomic_ref<int, cuda::thread_scope_device> ready(*flag);
    if (blockIdx.x == 0) {
        data[threadIdx.x] = threadIdx.x * 6;
        __syncthreads();
        if (threadIdx.x == 0) {
            ready.store(1, cuda::memory_order_release);
        }
    } else {
        if (threadIdx.x == 0) {
            while (ready.load(cuda::memory_order_acquire) == 0) {
            }
        }
        __syncthreads();
        out[threadIdx.x] = data[63 - threadIdx.x];
    }
}

int main() {
    int* memory;
    CHECK(cudaMalloc(&memory, 129 * sizeof(int)));
    CHECK(cudaMemset(memory, 0, 129 * sizeof(int)));
    hand_over<<<2, 64>>>(memory + 128, memory, memory + 64);
    CHECK(cudaGetLastError());
    int host[64];
    CHECK(cudaMemcpy(host, memory + 64, sizeof host, cudaMemcpyDeviceToHost));
    std::printf("%d %d\n", host[0], host[63]);
    CHECK(cudaFree(memory));
    return 0;
}
