// A kernel writes a number and releases a flag; the host waits for the flag and reads the number. Which value the host read is not known: a
// warning says so.
// verdict: race
#include "check.h"
#include <cuda/atomic>

__global__ void answer(int* number, int* flag) {
    *number = 42;
    cuda::atomic_ref<int, cuda::thread_scope_system>(*flag).store(1, cuda::memory_order_release);
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
    int seen = *number;  //~ race: inter-kernel warning (with line 8)
    CHECK(cudaDeviceSynchronize());
    std::printf("the number is %d\n", seen);
    CHECK(cudaFreeHost(number));
    CHECK(cudaFreeHost(flag));
    return 0;
}
