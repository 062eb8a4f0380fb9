// The program ends without waiting for its kernels and without freeing anything, with an exit code of its own.
// verdict: clean
// exit: 5
#include "check.h"

__global__ void work(int* data) {
    int value = data[threadIdx.x];
    for (int i = 0; i < 100; i++) {
        value = value * 3 + 1;
    }
    data[threadIdx.x] = value;
}

int main() {
    int* data;
    CHECK(cudaMalloc(&data, 128 * sizeof(int)));
    CHECK(cudaMemset(data, 0, 128 * sizeof(int)));
    cudaStream_t stream;
    CHECK(cudaStreamCreate(&stream));
    for (int i = 0; i < 3; i++) {
        work<<<1, 128, 0, stream>>>(data);
        CHECK(cudaGetLastError());
    }
    std::printf("three kernels launched\n");
    std::exit(5);
}
