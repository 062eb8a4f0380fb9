// A kernel hands an array to a kernel of another stream that is running already, by a release and an acquire of the device.
// verdict: clean
#include "check.h"
#include <cuda/atomic>

constexpr int COUNT = 64;

__global__ void work(int* data, int* flag, int* target, bool producer) {
    cuda::atomic_ref<int, cuda::thread_scope_device> ready(*flag);
    if (producer) {
        data[threadIdx.x] = 3 * threadIdx.x;
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
        target[threadIdx.x] = data[COUNT - 1 - threadIdx.x];
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
    int host[COUNT];
    CHECK(cudaMemcpy(host, target, sizeof host, cudaMemcpyDeviceToHost));
    std::printf("%d %d\n", host[0], host[COUNT - 1]);
    CHECK(cudaStreamDestroy(one));
    CHECK(cudaStreamDestroy(other));
    CHECK(cudaFree(data));
    CHECK(cudaFree(flag));
    CHECK(cudaFree(target));
    return 0;
}
