// As streams_hand_over_between_kernels.cu, but the flag is written and read relaxed, which hands nothing over.
// verdict: race
#include "check.h"
#include <cuda/atomic>

constexpr int COUNT = 64;

__global__ void work(int* data, int* flag, int* target, bool producer) {
    cuda::atomic_ref<int, cuda::thread_scope_device> ready(*flag);
    if (producer) {
        data[threadIdx.x] = 3 * threadIdx.x;
        __syncthreads();
        if (threadIdx.x == 0) {
            ready.store(1, cuda::memory_order_relaxed);
        }
    } else {
        if (threadIdx.x == 0) {
            while (ready.load(cuda::memory_order_relaxed) == 0) {
            }
        }
        __syncthreads();
        target[threadIdx.x] = data[COUNT - 1 - threadIdx.x];  //~ race: inter-kernel error (with line 11)
    }
}

int main() {
    int *data, *flag, *target;
    CHECK(cudaMalloc(&data, COUNT * sizeof(int)));
    CHECK(cudaMalloc(&flag, sizeof(int)));
    CHECK(cudaMalloc(&target, COUNT * sizeof(int)));
    CHECK(cudaMemset(flag, 0, sizeof(int)));
    CHECK(cudaDeviceSynchronize());
    cudaStream_t one, other;
    CHECK(cudaStreamCreateWithFlags(&one, cudaStreamNonBlocking));
    CHECK(cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking));
    work<<<1, COUNT, 0, one>>>(data, flag, target, false);
    CHECK(cudaGetLastError());
    work<<<1, COUNT, 0, other>>>(data, flag, target, true);
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
    std::printf("both kernels have ended\n");
    CHECK(cudaStreamDestroy(one));
    CHECK(cudaStreamDestroy(other));
    CHECK(cudaFree(data));
    CHECK(cudaFree(flag));
    CHECK(cudaFree(target));
    return 0;
}
