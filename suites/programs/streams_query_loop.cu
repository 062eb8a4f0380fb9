// The host asks a stream until it is done, then reads pinned memory and launches in another stream.
// verdict: clean
#include "check.h"

constexpr int COUNT = 512;

__global__ void fill(int* data) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    data[i] = 7 * i;
}

__global__ void subtract_one(int* data) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    data[i] -= 1;
}

int main() {
    int *data, *host;
    CHECK(cudaMalloc(&data, COUNT * sizeof(int)));
    CHECK(cudaMallocHost(&host, COUNT * sizeof(int)));
    cudaStream_t one, other;
    CHECK(cudaStreamCreateWithFlags(&one, cudaStreamNonBlocking));
    CHECK(cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking));
    fill<<<4, 128, 0, one>>>(data);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpyAsync(host, data, COUNT * sizeof(int), cudaMemcpyDeviceToHost, one));
    cudaError_t status;
    while ((status = cudaStreamQuery(one)) == cudaErrorNotReady) {
    }
    CHECK(status);
    std::printf("first: %d\n", host[COUNT - 1]);
    subtract_one<<<4, 128, 0, other>>>(data);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpyAsync(host, data, COUNT * sizeof(int), cudaMemcpyDeviceToHost, other));
    while ((status = cudaStreamQuery(other)) == cudaErrorNotReady) {
    }
    CHECK(status);
    std::printf("second: %d\n", host[COUNT - 1]);
    CHECK(cudaStreamDestroy(one));
    CHECK(cudaStreamDestroy(other));
    CHECK(cudaFreeHost(host));
    CHECK(cudaFree(data));
    return 0;
}
