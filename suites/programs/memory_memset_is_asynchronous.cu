// cudaMemset of device memory does not wait for its own end, and a non-blocking stream does not wait for the default stream.
// verdict: race
#include "check.h"

constexpr int COUNT = 512;

__global__ void count(int* counters) {
    counters[blockIdx.x * blockDim.x + threadIdx.x] = 1;
}

int main() {
    int* counters;
    CHECK(cudaMalloc(&counters, COUNT * sizeof(int)));
    cudaStream_t stream;
    CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    CHECK(cudaMemset(counters, 0, COUNT * sizeof(int)));  //~ race: inter-kernel error (with line 8)
    count<<<2, 256, 0, stream>>>(counters);
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
    std::printf("counted %d\n", COUNT);
    CHECK(cudaStreamDestroy(stream));
    CHECK(cudaFree(counters));
    return 0;
}
