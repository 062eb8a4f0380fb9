// The host prepares the next round in a managed variable while the kernel of this round still reads it.
// verdict: race
#include "check.h"

__managed__ int factor = 3;

__global__ void scale(int* numbers) {
    numbers[threadIdx.x] = threadIdx.x * factor;
}

int main() {
    int* numbers;
    CHECK(cudaMalloc(&numbers, 128 * sizeof(int)));
    scale<<<1, 128>>>(numbers);
    CHECK(cudaGetLastError());
    factor = 4;  //~ race: inter-kernel error (with line 8)
    CHECK(cudaDeviceSynchronize());
    std::printf("factor for the next round: %d\n", factor);
    CHECK(cudaFree(numbers));
    return 0;
}
