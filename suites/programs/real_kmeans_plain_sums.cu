// The step of k-means that adds up: every block adds its sums to the global ones, without an atomic.
// verdict: race
#include "check.h"

constexpr int POINTS = 512;
constexpr int THREADS = 128;
constexpr int K = 4;

__global__ void add_up(const int* values, int* sums) {
    __shared__ int block[K];
    if (threadIdx.x < K) {
        block[threadIdx.x] = 0;
    }
    __syncthreads();
    int value = values[blockIdx.x * THREADS + threadIdx.x];
    atomicAdd(&block[value % K], value);
    __syncthreads();
    if (threadIdx.x < K) {
        sums[threadIdx.x] += block[threadIdx.x];  //~ race: missing-sync error (with itself)
    }
}

int main() {
    static int host[POINTS];
    for (int i = 0; i < POINTS; i++) {
        host[i] = (i * 37) % 101;
    }
    int *values, *sums;
    CHECK(cudaMalloc(&values, sizeof host));
    CHECK(cudaMalloc(&sums, K * sizeof(int)));
    CHECK(cudaMemcpy(values, host, sizeof host, cudaMemcpyHostToDevice));
    CHECK(cudaMemset(sums, 0, K * sizeof(int)));
    add_up<<<POINTS / THREADS, THREADS>>>(values, sums);
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
    std::printf("added up %d values in %d groups\n", POINTS, K);
    CHECK(cudaFree(values));
    CHECK(cudaFree(sums));
    return 0;
}
