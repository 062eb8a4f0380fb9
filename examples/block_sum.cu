// CLEAN. Every block adds up its numbers in shared memory, with a __syncthreads() wherever a thread goes
// on to read what another thread wrote. missing_sync.cu is the same program with one of them forgotten.
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
    __syncthreads();
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

    int total = 0;
    for (int sum : sums) {
        total += sum;
    }
    std::printf("added up %d numbers in %d blocks: %d\n", COUNT, BLOCKS, total);
    return total == COUNT * (COUNT - 1) / 2 ? 0 : 1;
}
