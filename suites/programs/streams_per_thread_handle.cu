// The handles of the legacy and of the per-thread default stream: the per-thread stream is a blocking one.
// verdict: clean
#include "check.h"

constexpr int COUNT = 128;

__global__ void add(int* data, int amount) {
    data[threadIdx.x] += amount;
}

__global__ void triple(int* data) {
    data[threadIdx.x] *= 3;
}

int main() {
    int* data;
    CHECK(cudaMalloc(&data, COUNT * sizeof(int)));
    CHECK(cudaMemsetAsync(data, 0, COUNT * sizeof(int), cudaStreamLegacy));
    add<<<1, COUNT, 0, cudaStreamPerThread>>>(data, 5);
    CHECK(cudaGetLastError());
    triple<<<1, COUNT, 0, cudaStreamLegacy>>>(data);
    CHECK(cudaGetLastError());
    add<<<1, COUNT, 0, cudaStreamPerThread>>>(data, 1);
    CHECK(cudaGetLastError());
    CHECK(cudaStreamSynchronize(cudaStreamPerThread));
    int host = 0;
    CHECK(cudaMemcpy(&host, data + 1, sizeof host, cudaMemcpyDeviceToHost));
    std::printf("%d\n", host);
    CHECK(cudaFree(data));
    return 0;
}
