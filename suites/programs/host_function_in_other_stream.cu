// A function of the host runs in one stream and reads what a kernel in another stream writes to pinned memory.
// verdict: race
#include "check.h"

constexpr int COUNT = 128;

__global__ void fill(int* data) {
    data[threadIdx.x] = threadIdx.x;
}

static volatile int seen;

static void CUDART_CB look(void* argument) {
    seen = static_cast<int*>(argument)[COUNT - 1];  //~ race: inter-kernel error (with line 8)
}

int main() {
    int* host;
    CHECK(cudaMallocHost(&host, COUNT * sizeof(int)));
    cudaStream_t one, other;
    CHECK(cudaStreamCreate(&one));
    CHECK(cudaStreamCreate(&other));
    fill<<<1, COUNT, 0, one>>>(host);
    CHECK(cudaGetLastError());
    CHECK(cudaLaunchHostFunc(other, look, host));
    CHECK(cudaDeviceSynchronize());
    std::printf("after the wait: %d\n", host[COUNT - 1]);
    CHECK(cudaStreamDestroy(one));
    CHECK(cudaStreamDestroy(other));
    CHECK(cudaFreeHost(host));
    return 0;
}
