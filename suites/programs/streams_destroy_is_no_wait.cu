// cudaStreamDestroy returns while the stream's work may still run: it is no wait.
// verdict: race
#include "check.h"

constexpr int COUNT = 256;

__global__ void fill(int* data) {
    data[threadIdx.x] = threadIdx.x;
}

int main() {
    int* host;
    CHECK(cudaMallocHost(&host, COUNT * sizeof(int)));
    cudaStream_t stream;
    CHECK(cudaStreamCreate(&stream));
    fill<<<1, COUNT, 0, stream>>>(host);
    CHECK(cudaGetLastError());
    CHECK(cudaStreamDestroy(stream));
    volatile int seen = host[COUNT - 1];  //~ race: inter-kernel error (with line 8)
    (void)seen;
    CHECK(cudaDeviceSynchronize());
    std::printf("after the wait: %d\n", host[COUNT - 1]);
    CHECK(cudaFreeHost(host));
    return 0;
}
