// A variable of the device is copied to in one stream while a kernel in another stream reads it.
// verdict: race
#include "check.h"

__device__ int limits[4];

__global__ void clamp(int* numbers) {
    int limit = limits[threadIdx.x % 4];
    numbers[threadIdx.x] = min(static_cast<int>(threadIdx.x), limit);
}

int main() {
    int* numbers;
    int* host;
    CHECK(cudaMalloc(&numbers, 128 * sizeof(int)));
    CHECK(cudaMallocHost(&host, sizeof limits));
    for (int i = 0; i < 4; i++) {
        host[i] = 10 * i;
    }
    cudaStream_t one, other;
    CHECK(cudaStreamCreate(&one));
    CHECK(cudaStreamCreate(&other));
    clamp<<<1, 128, 0, one>>>(numbers);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpyToSymbolAsync(limits, host, 16, 0, cudaMemcpyDefault, other));  //~ race: inter-kernel error (with line 8)
    CHECK(cudaDeviceSynchronize());
    std::printf("copied %zu bytes to the variable\n", sizeof limits);
    CHECK(cudaStreamDestroy(one));
    CHECK(cudaStreamDestroy(other));
    CHECK(cudaFreeHost(host));
    CHECK(cudaFree(numbers));
    return 0;
}
