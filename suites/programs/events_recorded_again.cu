// A wait is for the recording that was there when the wait was called; the event is recorded again later, which changes nothing.
// verdict: race
#include "check.h"

constexpr int COUNT = 256;

__global__ void first_round(int* data) {
    data[threadIdx.x] = threadIdx.x;
}

__global__ void second_round(int* data) {
    data[threadIdx.x] = threadIdx.x * 2;
}

__global__ void collect(int* target, const int* first, const int* second) {
    int sum = first[COUNT - 1 - threadIdx.x];
    sum += second[COUNT - 1 - threadIdx.x];  //~ race: inter-kernel error (with line 12)
    target[threadIdx.x] = sum;
}

int main() {
    int *first, *second, *target;
    CHECK(cudaMalloc(&first, COUNT * sizeof(int)));
    CHECK(cudaMalloc(&second, COUNT * sizeof(int)));
    CHECK(cudaMalloc(&target, COUNT * sizeof(int)));
    cudaStream_t producer, consumer;
    cudaEvent_t filled;
    CHECK(cudaStreamCreate(&producer));
    CHECK(cudaStreamCreate(&consumer));
    CHECK(cudaEventCreate(&filled));
    first_round<<<1, COUNT, 0, producer>>>(first);
    CHECK(cudaGetLastError());
    CHECK(cudaEventRecord(filled, producer));
    CHECK(cudaStreamWaitEvent(consumer, filled, 0));
    second_round<<<1, COUNT, 0, producer>>>(second);
    CHECK(cudaGetLastError());
    CHECK(cudaEventRecord(filled, producer));
    collect<<<1, COUNT, 0, consumer>>>(target, first, second);
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
    std::printf("collected %d numbers\n", COUNT);
    CHECK(cudaEventDestroy(filled));
    CHECK(cudaStreamDestroy(producer));
    CHECK(cudaStreamDestroy(consumer));
    CHECK(cudaFree(first));
    CHECK(cudaFree(second));
    CHECK(cudaFree(target));
    return 0;
}
