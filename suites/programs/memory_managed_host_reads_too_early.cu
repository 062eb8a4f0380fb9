// The host reads managed memory right after the launch of the kernel that writes it: nothing waits for the kernel.
// verdict: race
#include "check.h"

constexpr int COUNT = 256;

__global__ void square(int* numbers) {
    numbers[threadIdx.x] = threadIdx.x * threadIdx.x;
}

int main() {
    int* numbers;
    CHECK(cudaMallocManaged(&numbers, COUNT * sizeof(int)));
    square<<<1, COUNT>>>(numbers);
    CHECK(cudaGetLastError());
    volatile int seen = numbers[10];  //~ race: inter-kernel error (with line 8)
    (void)seen;
    CHECK(cudaDeviceSynchronize());
    std::printf("after the wait: %d\n", numbers[10]);
    CHECK(cudaFree(numbers));
    return 0;
}
