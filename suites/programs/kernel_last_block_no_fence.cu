// The last block adds up what the others left, but nobody puts a fence between its number and its count.
// verdict: race
#include "check.h"

constexpr int BLOCKS = 4;

__global__ void sum(int* parts, unsigned* done, int* total) {
    __shared__ bool last;
    if (threadIdx.x == 0) {
        parts[blockIdx.x] = blockIdx.x + 1;
        last = atomicInc(done, gridDim.x - 1) == gridDim.x - 1;
        __threadfence();
    }
    __syncthreads();
    if (last && threadIdx.x >= 32 && threadIdx.x < 32 + BLOCKS) {
        atomicAdd(total, parts[threadIdx.x - 32]);  //~ race: missing-fence error (with line 10)
    }
}

int main() {
    int *parts, *total;
    unsigned* done;
    CHECK(cudaMalloc(&parts, BLOCKS * sizeof(int)));
    CHECK(cudaMalloc(&total, sizeof(int)));
    CHECK(cudaMalloc(&done, sizeof(unsigned)));
    CHECK(cudaMemset(total, 0, sizeof(int)));
    CHECK(cudaMemset(done, 0, sizeof(unsigned)));
    sum<<<BLOCKS, 64>>>(parts, done, total);
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
    unsigned counted = 1;
    CHECK(cudaMemcpy(&counted, done, sizeof counted, cudaMemcpyDeviceToHost));
    std::printf("the counter is back at %u\n", counted);
    CHECK(cudaFree(parts));
    CHECK(cudaFree(total));
    CHECK(cudaFree(done));
    return 0;
}
