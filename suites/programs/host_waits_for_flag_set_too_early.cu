// A kernel releases a flag before it writes the number that the host reads behind the flag.
// verdict: race
#include "check.h"
#include <cuda/atomic>

__global__ void answer(int* number, int* flag) {
    cuda::atomic_ref<int, cuda::thread_scope_system>(*flag).store(1, cuda::memory_order_release);
    *number = 42;
}

int main() {
    int *number, *flag;
    CHECK(cudaHostAlloc(&number, sizeof(int), cudaHostAllocMapped));
    CHECK(cudaHostAlloc(&flag, sizeof(int), cudaHostAllocMapped));
    *number = *flag = 0;
    answer<<<1, 1>>>(number, flag);
    CHECK(cudaGetLastError());
    cuda::atomic_ref<int, cuda::thread_scope_system> done(*flag);
    while (done.load(cuda::memory_order_acquire) == 0) {
    }
    volatile int* plain = number;
    int seen = *plain;  //~ race: inter-kernel error (with line 8)
    CHECK(cudaDeviceSynchronize());
    std::printf("the number is %d\n", seen >= 0 ? *number : 0);
    CHECK(cudaFreeHost(number));
    CHECK(cudaFreeHost(flag));
    return 0;
}
