// RACY. Every thread counts itself with atomicAdd_block, which is atomic among the threads of one block
// only. The counter belongs to all blocks, so their additions can get lost. atomicAdd would be right.
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

constexpr int BLOCKS = 8;
constexpr int THREADS = 64;

__global__ void count_threads(int* counter) {
    atomicAdd_block(counter, 1);
}

static void check(cudaError_t status) {
    if (status != cudaSuccess) {
        std::fprintf(stderr, "CUDA error: %s\n", cudaGetErrorString(status));
        std::exit(1);
    }
}

int main() {
    int* device_counter;
    check(cudaMalloc(&device_counter, sizeof(int)));
    check(cudaMemset(device_counter, 0, sizeof(int)));

    count_threads<<<BLOCKS, THREADS>>>(device_counter);
    check(cudaGetLastError());

    int counter = 0;
    check(cudaMemcpy(&counter, device_counter, sizeof counter, cudaMemcpyDeviceToHost));
    check(cudaFree(device_counter));

    // The count depends on how the blocks happened to run, so it is not worth printing.
    std::printf("counted the threads of %d blocks\n", BLOCKS);
    return 0;
}

//~ line 11: [hb, iguard, scord] race: scope (with line 11)
//~ line 11: [barracuda] clean by barracuda ATOMEXCL
