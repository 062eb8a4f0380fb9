// The event is recorded after the kernel, but in another stream than the kernel's.
// verdict: race
#include "check.h"

constexpr int COUNT = 256;

__global__ void fill(int* data) {
    data[threadIdx.x] = threadIdx.x;
}

__global__ void reverse(int* target, const int* data) {
    target[threadIdx.x] = data[COUNT - 1 - threadIdx.x];  //~ race: inter-kernel error (with line 8)
}

int main() {
    int *data, *target;
    CHECK(cudaMalloc(&data, COUNT * sizeof(int)));
    CHECK(cudaMalloc(&target, COUNT * sizeof(int)));
    cudaStream_t producer, consumer;
    cudaEvent_t filled;
    CHECK(cudaStreamCreateWithFlags(&producer, cudaStreamNonBlocking));
    CHECK(cudaStreamCreateWithFlags(&consumer, cudaStreamNonBlocking));
    CHECK(cudaEventCreate(&filled));
    fill<<<1, COUNT, 0, producer>>>(data);
    CHECK(cudaGetLastError());
    // Without a stream, the event is recorded in the default one, which does not wait for a non-blocking stream.
    CHECK(cudaEventRecord(filled));
    CHECK(cudaStreamWaitEvent(consumer, filled));
    reverse<<<1, COUNT, 0, consumer>>>(target, data);
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
    std::printf("reversed %d numbers\n", COUNT);
    CHECK(cudaEventDestroy(filled));
    CHECK(cudaStreamDestroy(producer));
    CHECK(cudaStreamDestroy(consumer));
    CHECK(cudaFree(data));
    CHECK(cudaFree(target));
    return 0;
}
