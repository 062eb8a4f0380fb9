// CLEAN. Every block adds up its numbers and leaves the sum in global memory; the block that finishes last
// adds up those sums, in the same launch. A block says "done" with a fence and then an atomic addition;
// the last one sees all others done and, after a fence of its own, may read what they left.
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

constexpr int BLOCKS = 8;
constexpr int THREADS = 64;
constexpr int COUNT = BLOCKS * THREADS;

__global__ void sum_all(const int* numbers, int* block_sums, unsigned int* blocks_done, int* total) {
    __shared__ int sum;
    if (threadIdx.x == 0) {
        sum = 0;
    }
    __syncthreads();
    atomicAdd(&sum, numbers[blockIdx.x * THREADS + threadIdx.x]);
    __syncthreads();

    if (threadIdx.x == 0) {
        block_sums[blockIdx.x] = sum;
        __threadfence();
        unsigned int done_before = atomicAdd(blocks_done, 1);
        __threadfence();
        if (done_before == gridDim.x - 1) {
            int all = 0;
            for (int block = 0; block < gridDim.x; block++) {
                all += block_sums[block];
            }
            *total = all;
        }
    }
}

static void check(cudaError_t status) {
    if (status != cudaSuccess) {
        std::fprintf(stderr, "CUDA error: %s\n", cudaGetErrorString(status));
        std::exit(1);
    }
}

int main() {
    static int numbers[COUNT];
    for (int i = 0; i < COUNT; i++) {
        numbers[i] = i;
    }

    int* device_numbers;
    int* block_sums;
    unsigned int* blocks_done;
    int* device_total;
    check(cudaMalloc(&device_numbers, sizeof numbers));
    check(cudaMalloc(&block_sums, BLOCKS * sizeof(int)));
    check(cudaMalloc(&blocks_done, sizeof(unsigned int)));
    check(cudaMalloc(&device_total, sizeof(int)));
    check(cudaMemcpy(device_numbers, numbers, sizeof numbers, cudaMemcpyHostToDevice));
    check(cudaMemset(blocks_done, 0, sizeof(unsigned int)));

    sum_all<<<BLOCKS, THREADS>>>(device_numbers, block_sums, blocks_done, device_total);
    check(cudaGetLastError());

    int total = 0;
    check(cudaMemcpy(&total, device_total, sizeof total, cudaMemcpyDeviceToHost));
    check(cudaFree(device_numbers));
    check(cudaFree(block_sums));
    check(cudaFree(blocks_done));
    check(cudaFree(device_total));
    std::printf("added up %d numbers in one launch: %d\n", COUNT, total);
    return total == COUNT * (COUNT - 1) / 2 ? 0 : 1;
}

//~ line 29: [scord] race: missing-sync (with line 22)
