// The event is recorded before the kernel that it should stand for.
// verdict: race
#include "check.h"

constexpr int COUNT = 256;

__global__ void fill(float* data) {
    data[threadIdx.x] = 1.5f * threadIdx.x;
}

__global__ void smooth(float* target, const float* data) {
    int next = (threadIdx.x + 1) % COUNT;
    target[threadIdx.x] = 0.5f * data[next];  //~ race: inter-kernel error (with line 8)
}

int main() {
    float *data, *target;
    CHECK(cudaMalloc(&data, COUNT * sizeof(float)));
    CHECK(cudaMalloc(&target, COUNT * sizeof(float)));
    cudaStream_t producer, consumer;
    cudaEvent_t filled;
    CHECK(cudaStreamCreate(&producer));
    CHECK(cudaStreamCreate(&consumer));
    CHECK(cudaEventCreate(&filled));
    CHECK(cudaEventRecord(filled, producer));
    fill<<<1, COUNT, 0, producer>>>(data);
    CHECK(cudaGetLastError());
    CHECK(cudaStreamWaitEvent(consumer, filled, 0));
    smooth<<<1, COUNT, 0, consumer>>>(target, data);
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
    std::printf("smoothed %d numbers\n", COUNT);
    CHECK(cudaEventDestroy(filled));
    CHECK(cudaStreamDestroy(producer));
    CHECK(cudaStreamDestroy(consumer));
    CHECK(cudaFree(data));
    CHECK(cudaFree(target));
    return 0;
}
