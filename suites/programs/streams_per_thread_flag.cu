// Compiled for per-thread default streams, a launch without a stream is not ordered with the streams of the program.
// verdict: race
// flags: -default-stream per-thread
#include "check.h"

constexpr int COUNT = 128;

__global__ void fill(int* data) {
    data[threadIdx.x] = 4;
}

__global__ void reverse(int* target, const int* data) {
    target[threadIdx.x] = data[COUNT - 1 - threadIdx.x];  //~ race: inter-kernel error (with line 9)
}

int main() {
    int *data, *target;
    CHECK(cudaMalloc(&data, COUNT * sizeof(int)));
    CHECK(cudaMalloc(&target, COUNT * sizeof(int)));
    cudaStream_t stream;
    CHECK(cudaStreamCreate(&stream));
    fill<<<1, COUNT, 0, stream>>>(data);
    CHECK(cudaGetLastError());
    reverse<<<1, COUNT>>>(target, data);
    CHECK(cudaGetLastError());
    CHECK(cudaStreamSynchronize(stream));
    CHECK(cudaStreamSynchronize(nullptr));
    std::printf("both streams are done\n");
    CHECK(cudaStreamDestroy(stream));
    CHECK(cudaFree(data));
    CHECK(cudaFree(target));
    return 0;
}
