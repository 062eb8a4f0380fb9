// A non-blocking stream does not wait for the legacy default stream.
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
    int *first, *second;
    CHECK(cudaMalloc(&first, COUNT * sizeof(int)));
    CHECK(cudaMalloc(&second, COUNT * sizeof(int)));
    cudaStream_t stream;
    CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    fill<<<1, COUNT>>>(first);
    CHECK(cudaGetLastError());
    reverse<<<1, COUNT, 0, stream>>>(second, first);
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
    std::printf("reversed %d numbers\n", COUNT);
    CHECK(cudaStreamDestroy(stream));
    CHECK(cudaFree(first));
    CHECK(cudaFree(second));
    return 0;
}
