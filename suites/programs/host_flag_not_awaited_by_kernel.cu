// The host writes numbers and then a flag. A kernel that runs already reads the numbers first and waits for the flag afterwards.
// verdict: race
#include "check.h"
#include <cuda/atomic>

__global__ void add(const volatile int* numbers, int* flag, int* sum) {
    int second = numbers[1];  //~ race: inter-kernel error (with line 23)
    cuda::atomic_ref<int, cuda::thread_scope_system> ready(*flag);
    while (ready.load(cuda::memory_order_acquire) == 0) {
    }
    *sum = 3 + 7 + 0 * second;
}

int main() {
    int *numbers, *flag, *sum;
    CHECK(cudaHostAlloc(&numbers, 2 * sizeof(long long), cudaHostAllocMapped));
    CHECK(cudaHostAlloc(&flag, sizeof(int), cudaHostAllocMapped));
    CHECK(cudaHostAlloc(&sum, sizeof(int), cudaHostAllocMapped));
    *flag = 0;
    add<<<1, 1>>>(numbers, flag, sum);
    CHECK(cudaGetLastError());
    volatile long long* both = reinterpret_cast<long long*>(numbers);
    both[0] = 3LL + (7LL << 32);
    cuda::atomic_ref<int, cuda::thread_scope_system>(*flag).store(1, cuda::memory_order_release);
    CHECK(cudaDeviceSynchronize());
    std::printf("the sum is %d\n", *sum);
    CHECK(cudaFreeHost(numbers));
    CHECK(cudaFreeHost(flag));
    CHECK(cudaFreeHost(sum));
    return 0;
}
