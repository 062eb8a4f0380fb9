// A sum in a tree: lanes by shuffles, warps by shared memory, blocks by a second launch.
// verdict: clean
#include "check.h"
#include <vector>

constexpr int COUNT = 10000;
constexpr int THREADS = 256;
constexpr int BLOCKS = 8;

__device__ long long sum_of_warp(long long value) {
    for (int distance = 16; distance > 0; distance /= 2) {
        value += __shfl_down_sync(~0u, value, distance);
    }
    return value;
}

__global__ void reduce(const long long* numbers, int count, long long* sums) {
    __shared__ long long warps[32];
    long long sum = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x) {
        sum += numbers[i];
    }
    sum = sum_of_warp(sum);
    if (threadIdx.x % 32 == 0) {
        warps[threadIdx.x / 32] = sum;
    }
    __syncthreads();
    if (threadIdx.x < 32) {
        sum = threadIdx.x < blockDim.x / 32 ? warps[threadIdx.x] : 0;
        sum = sum_of_warp(sum);
        if (threadIdx.x == 0) {
            sums[blockIdx.x] = sum;
        }
    }
}

int main() {
    std::vector<long long> host(COUNT);
    long long expected = 0;
    for (int i = 0; i < COUNT; i++) {
        host[i] = static_cast<long long>(i) * i - 5000;
        expected += host[i];
    }
    long long *numbers, *sums;
    CHECK(cudaMalloc(&numbers, COUNT * sizeof(long long)));
    CHECK(cudaMalloc(&sums, (BLOCKS + 1) * sizeof(long long)));
    CHECK(cudaMemcpy(numbers, host.data(), COUNT * sizeof(long long), cudaMemcpyHostToDevice));
    reduce<<<BLOCKS, THREADS>>>(numbers, COUNT, sums);
    reduce<<<1, 64>>>(sums, BLOCKS, sums + BLOCKS);
    CHECK(cudaGetLastError());
    long long total = 0;
    CHECK(cudaMemcpy(&total, sums + BLOCKS, sizeof total, cudaMemcpyDeviceToHost));
    std::printf("total %lld, right: %s\n", total, total == expected ? "yes" : "no");
    CHECK(cudaFree(numbers));
    CHECK(cudaFree(sums));
    return 0;
}
