// To wait for an event that was never recorded is to wait for nothing.
// verdict: race
#include "check.h"

constexpr int COUNT = 128;

__global__ void fill(int* data) {
    data[threadIdx.x] = threadIdx.x;
}

__global__ void add(int* data) {
    atomicAdd(&data[threadIdx.x], 1);  //~ race: inter-kernel error (with line 8)
}

int main() {
    int* data;
    CHECK(cudaMalloc(&data, COUNT * sizeof(int)));
    cudaStream_t one, other;
    cudaEvent_t filled;
    CHECK(cudaStreamCreate(&one));
    CHECK(cudaStreamCreate(&other));
    CHECK(cudaEventCreate(&filled));
    fill<<<1, COUNT, 0, one>>>(data);
    CHECK(cudaGetLastError());
    std::printf("an event that was never recorded: %s\n", cudaGetErrorName(cudaEventQuery(filled)));
    CHECK(cudaStreamWaitEvent(other, filled, 0));
    add<<<1, COUNT, 0, other>>>(data);
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaEventDestroy(filled));
    CHECK(cudaStreamDestroy(one));
    CHECK(cudaStreamDestroy(other));
    CHECK(cudaFree(data));
    return 0;
}
