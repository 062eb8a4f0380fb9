// The host asks one stream until it is done and reads what the copy of another stream brings.
// verdict: race
#include "check.h"

constexpr int COUNT = 128;
constexpr size_t BYTES = COUNT * sizeof(int);

__global__ void fill(int* data, int value) {
    data[threadIdx.x] = value * threadIdx.x;
}

int main() {
    int *data[2], *host[2];
    cudaStream_t streams[2];
    for (int i = 0; i < 2; i++) {
        CHECK(cudaMalloc(&data[i], BYTES));
        CHECK(cudaMallocHost(&host[i], BYTES));
        CHECK(cudaStreamCreateWithFlags(&streams[i], cudaStreamNonBlocking));
    }
    fill<<<1, COUNT, 0, streams[0]>>>(data[0], 2);
    CHECK(cudaGetLastError());
    fill<<<1, COUNT, 0, streams[1]>>>(data[1], 3);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpyAsync(host[0], data[0], BYTES, cudaMemcpyDeviceToHost, streams[0]));
    CHECK(cudaMemcpyAsync(host[1], data[1], BYTES, cudaMemcpyDeviceToHost, streams[1]));
    cudaError_t status;
    while ((status = cudaStreamQuery(streams[0])) == cudaErrorNotReady) {
    }
    CHECK(status);
    std::printf("the stream that was asked: %d\n", host[0][COUNT - 1]);
    volatile int seen = host[1][COUNT - 1];  //~ race: inter-kernel error (with line 25)
    (void)seen;
    while ((status = cudaStreamQuery(streams[1])) == cudaErrorNotReady) {
    }
    CHECK(status);
    std::printf("the other one: %d\n", host[1][COUNT - 1]);
    for (int i = 0; i < 2; i++) {
        CHECK(cudaStreamDestroy(streams[i]));
        CHECK(cudaFree(data[i]));
        CHECK(cudaFreeHost(host[i]));
    }
    return 0;
}
