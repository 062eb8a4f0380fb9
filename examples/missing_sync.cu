// RACY. Every block adds up its numbers in shared memory, but one __syncthreads() is missing: a thread
// may read its partner's number before the partner has stored it. block_sum.cu is the corrected program.
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

constexpr int BLOCKS = 4;
constexpr int THREADS = 256;
constexpr int COUNT = BLOCKS * THREADS;

__global__ void block_sum(const int* numbers, int* sums) {
    __shared__ int partial[THREADS];
    int thread = threadIdx.x;
    partial[thread] = numbers[blockIdx.x * THREADS + thread];
    // Here a __syncthreads() is missing.
    for (int stride = THREADS / 2; stride > 0; stride /= 2) {
        if (thread < stride) {
            int other = partial[thread + stride];
            partial[thread] += other;
        }
        __syncthreads();
    }
    if (thread == 0) {
        sums[blockIdx.x] = partial[0];
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
    int* device_sums;
    check(cudaMalloc(&device_numbers, sizeof numbers));
    check(cudaMalloc(&device_sums, BLOCKS * sizeof(int)));
    check(cudaMemcpy(device_numbers, numbers, sizeof numbers, cudaMemcpyHostToDevice));

    block_sum<<<BLOCKS, THREADS>>>(device_numbers, device_sums);
    check(cudaGetLastError());

    int sums[BLOCKS];
    check(cudaMemcpy(sums, device_sums, sizeof sums, cudaMemcpyDeviceToHost));
    check(cudaFree(device_numbers));
    check(cudaFree(device_sums));

    // The sums depend on how the threads happened to run, so they are not worth printing.
    std::printf("added up %d numbers in %d blocks\n", COUNT, BLOCKS);
    return 0;
}

//~ line 18: [hb] race: missing-sync (with line 14)
//~ line 18: [barracuda] race: missing-sync (with line 14) by barracuda READEXCL
