// Atomic operations of every kind and size, on shared and on global memory.
// verdict: clean
#include "check.h"

struct Results {
    int sum, smallest, largest, bits, toggled, last_wrapped;
    unsigned wrapped;
    unsigned long long wide;
    float ratio;
    double precise;
    int swapped;
};

__global__ void all_kinds(Results* results) {
    __shared__ int block_sum;
    if (threadIdx.x == 0) {
        block_sum = 0;
    }
    __syncthreads();
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    atomicAdd(&block_sum, i);
    atomicMin(&results->smallest, i - 5);
    atomicMax(&results->largest, i + 5);
    atomicOr(&results->bits, 1 << (i % 20));
    atomicXor(&results->toggled, 1 << (i % 7));
    atomicInc(&results->wrapped, 99);
    atomicAdd(&results->wide, 1ull << 33);
    atomicAdd(&results->ratio, 0.5f);
    atomicAdd(&results->precise, 0.25);
    // Exactly one thread finds the old value.
    if (atomicCAS(&results->swapped, 0, 1) == 0) {
        atomicExch(&results->last_wrapped, 77);
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        atomicAdd(&results->sum, block_sum);
        atomicSub(&results->sum, 1);
        atomicAnd(&results->bits, 0xffff);
    }
}

int main() {
    Results* results;
    CHECK(cudaMallocManaged(&results, sizeof(Results)));
    *results = {};
    all_kinds<<<4, 96>>>(results);
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
    std::printf("sum %d, smallest %d, largest %d, bits %x, toggled %x\n", results->sum, results->smallest, results->largest,
                results->bits & 0xffff, results->toggled);
    std::printf("wrapped %u, wide %llu, ratio %.1f, precise %.2f, swapped %d, once %d\n", results->wrapped, results->wide,
                results->ratio, results->precise, results->swapped, results->last_wrapped);
    CHECK(cudaFree(results));
    return 0;
}
