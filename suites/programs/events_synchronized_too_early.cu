// The host waits for an event between two kernels and reads what the second one writes.
// verdict: race
#include "check.h"

constexpr int COUNT = 256;

__global__ void fill_first(int* data) {
    data[threadIdx.x] = threadIdx.x;
}

__global__ void fill_second(int* data) {
    data[threadIdx.x] = threadIdx.x * 2;
}

int main() {
    int *first, *second;
    CHECK(cudaMallocManaged(&first, COUNT * sizeof(int)));
    CHECK(cudaMallocManaged(&second, COUNT * sizeof(int)));
    cudaEvent_t half;
    CHECK(cudaEventCreate(&half));
    fill_first<<<1, COUNT>>>(first);
    CHECK(cudaGetLastError());
    CHECK(cudaEventRecord(half));
    fill_second<<<1, COUNT>>>(second);
    CHECK(cudaGetLastError());
    CHECK(cudaEventSynchronize(half));
    std::printf("first: %d\n", first[COUNT - 1]);
    volatile int seen = second[COUNT - 1];  //~ race: inter-kernel error (with line 12)
    (void)seen;
    CHECK(cudaDeviceSynchronize());
    std::printf("second: %d\n", second[COUNT - 1]);
    CHECK(cudaEventDestroy(half));
    CHECK(cudaFree(first));
    CHECK(cudaFree(second));
    return 0;
}
