// A kernel writes mapped host memory; the host waits for another stream and reads.
// verdict: race
#include "check.h"

constexpr int COUNT = 256;

__global__ void fill(int* numbers) {
    numbers[threadIdx.x] = threadIdx.x + 1;
}

int main() {
    int* host;
    CHECK(cudaHostAlloc(&host, COUNT * sizeof(int), cudaHostAllocMapped));
    cudaStream_t one, other;
    CHECK(cudaStreamCreate(&one));
    CHECK(cudaStreamCreate(&other));
    fill<<<1, COUNT, 0, one>>>(host);
    CHECK(cudaGetLastError());
    CHECK(cudaStreamSynchronize(other));
    volatile int seen = host[COUNT - 1];  //~ race: inter-kernel error (with line 8)
    (void)seen;
    CHECK(cudaStreamSynchronize(one));
    std::printf("after the right wait: %d\n", host[COUNT - 1]);
    CHECK(cudaStreamDestroy(one));
    CHECK(cudaStreamDestroy(other));
    CHECK(cudaFreeHost(host));
    return 0;
}
