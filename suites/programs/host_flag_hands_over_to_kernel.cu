// The host writes numbers and then a flag, for which a kernel waits that runs already.
// verdict: clean
#include "check.h"
#include <cuda/atomic>

__global__ void add(const int* numbers, int* flag, int* sum) {
    cuda::atomic_ref<int, cuda::thread_scope_system> ready(*flag);
    while (ready.load(cuda::memory_order_acquire) == 0) {
    }
    *sum = numbers[0] + numbers[1];
}

int main() {
    int *numbers, *flag, *sum;
    CHECK(cudaHostAlloc(&numbers, 2 * sizeof(int), cudaHostAllocMapped));
    CHECK(cudaHostAlloc(&flag, sizeof(int), cudaHostAllocMapped));
    CHECK(cudaHostAlloc(&sum, sizeof(int), cudaHostAllocMapped));
    *flag = 0;
    add<<<1, 1>>>(numbers, flag, sum);
    CHECK(cudaGetLastError());
    volatile int* plain = numbers;
    plain[0] = 3;
    plain[1] = 7;
    cuda::atomic_ref<int, cuda::thread_scope_system>(*flag).store(1, cuda::memory_order_release);
    CHECK(cudaDeviceSynchronize());
    std::printf("the sum is %d\n", *sum);
    CHECK(cudaFreeHost(numbers));
    CHECK(cudaFreeHost(flag));
    CHECK(cudaFreeHost(sum));
    return 0;
}
