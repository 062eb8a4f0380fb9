// A block swaps the halves of an array through shared memory; the barrier between storing and reading is missing.
// verdict: race
#include "check.h"

constexpr int THREADS = 256;

__global__ void far_halves(const int* numbers, int* halves) {
    __shared__ int cells[THREADS];
    cells[threadIdx.x] = numbers[threadIdx.x];
    if (threadIdx.x < THREADS / 2) {
        halves[threadIdx.x] = cells[threadIdx.x + THREADS / 2];  //~ race: missing-sync error (with line 9)
    }
}

int main() {
    int *numbers, *sums;
    CHECK(cudaMalloc(&numbers, THREADS * sizeof(int)));
    CHECK(cudaMalloc(&sums, THREADS / 2 * sizeof(int)));
    CHECK(cudaMemset(numbers, 0, THREADS * sizeof(int)));
    far_halves<<<1, THREADS>>>(numbers, sums);
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
    std::printf("moved %d numbers\n", THREADS / 2);
    CHECK(cudaFree(numbers));
    CHECK(cudaFree(sums));
    return 0;
}
