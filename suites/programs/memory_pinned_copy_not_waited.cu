// An asynchronous copy to pinned memory returns at once; the host reads the memory without a wait.
// verdict: race
#include "check.h"

constexpr int COUNT = 1024;
constexpr size_t BYTES = COUNT * sizeof(int);

__global__ void fill(int* numbers) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    numbers[i] = 2 * i;
}

int main() {
    int* host;
    int* device;
    CHECK(cudaMallocHost(&host, BYTES));
    CHECK(cudaMalloc(&device, BYTES));
    cudaStream_t stream;
    CHECK(cudaStreamCreate(&stream));
    fill<<<4, 256, 0, stream>>>(device);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpyAsync(host, device, BYTES, cudaMemcpyDeviceToHost, stream));
    volatile int seen = host[COUNT / 2];  //~ race: inter-kernel error (with line 22)
    (void)seen;
    CHECK(cudaStreamSynchronize(stream));
    std::printf("after the wait: %d\n", host[COUNT / 2]);
    CHECK(cudaStreamDestroy(stream));
    CHECK(cudaFree(device));
    CHECK(cudaFreeHost(host));
    return 0;
}
