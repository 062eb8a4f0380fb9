// Kernels wait for flags that a memset and a copy of another stream set; neither is atomic.
// verdict: race
#include "check.h"
#include <cuda/atomic>

__global__ void wait_for(int* flag, int* seen) {
    cuda::atomic_ref<int, cuda::thread_scope_system> set(*flag);
    while (set.load(cuda::memory_order_relaxed) == 0) {
    }
    *seen = 1;
}

int main() {
    int *flags, *seen, *one_in_host;
    CHECK(cudaMalloc(&flags, 2 * sizeof(int)));
    CHECK(cudaMalloc(&seen, 2 * sizeof(int)));
    CHECK(cudaMallocHost(&one_in_host, sizeof(int)));
    *one_in_host = 1;
    cudaStream_t waiting, setting;
    CHECK(cudaStreamCreateWithFlags(&waiting, cudaStreamNonBlocking));
    CHECK(cudaStreamCreateWithFlags(&setting, cudaStreamNonBlocking));
    // Both have been used once before a kernel waits for them.
    CHECK(cudaMemsetAsync(flags, 0, sizeof(int), setting));
    CHECK(cudaMemsetAsync(flags + 1, 0, sizeof(int), setting));
    CHECK(cudaMemcpyAsync(seen, one_in_host, sizeof(int), cudaMemcpyHostToDevice, setting));
    CHECK(cudaMemsetAsync(seen, 0, 2 * sizeof(int), setting));
    CHECK(cudaDeviceSynchronize());

    wait_for<<<1, 1, 0, waiting>>>(flags, seen);
    CHECK(cudaGetLastError());
    CHECK(cudaMemsetAsync(flags, 1, sizeof(int), setting));  //~ race: inter-kernel error (with line 8)
    CHECK(cudaStreamSynchronize(waiting));
    CHECK(cudaDeviceSynchronize());
    wait_for<<<1, 1, 0, waiting>>>(flags + 1, seen + 1);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpyAsync(flags + 1, one_in_host, sizeof(int), cudaMemcpyHostToDevice, setting));  //~ race: inter-kernel error (with line 8)
    CHECK(cudaStreamSynchronize(waiting));
    CHECK(cudaDeviceSynchronize());
    int host[2];
    CHECK(cudaMemcpy(host, seen, sizeof host, cudaMemcpyDeviceToHost));
    std::printf("seen %d %d\n", host[0], host[1]);
    CHECK(cudaStreamDestroy(waiting));
    CHECK(cudaStreamDestroy(setting));
    CHECK(cudaFreeHost(one_in_host));
    CHECK(cudaFree(flags));
    CHECK(cudaFree(seen));
    return 0;
}
