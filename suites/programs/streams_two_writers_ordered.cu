// As streams_two_writers.cu, but the host waits for the first stream before it launches in the second.
// verdict: clean
#include "check.h"

constexpr int COUNT = 512;

__global__ void fill_with_ones(int* data) {
    data[blockIdx.x * blockDim.x + threadIdx.x] = 1;
}

__global__ void add_numbers(int* data) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    data[i] += i;
}

int main() {
    int* data;
    CHECK(cudaMalloc(&data, COUNT * sizeof(int)));
    cudaStream_t first, second;
    CHECK(cudaStreamCreate(&first));
    CHECK(cudaStreamCreate(&second));
    fill_with_ones<<<2, 256, 0, first>>>(data);
    CHECK(cudaGetLastError());
    CHECK(cudaStreamSynchronize(first));
    add_numbers<<<2, 256, 0, second>>>(data);
    CHECK(cudaGetLastError());
    CHECK(cudaStreamSynchronize(second));
    int last = 0;
    CHECK(cudaMemcpy(&last, data + COUNT - 1, sizeof last, cudaMemcpyDeviceToHost));
    std::printf("last number: %d\n", last);
    CHECK(cudaStreamDestroy(first));
    CHECK(cudaStreamDestroy(second));
    CHECK(cudaFree(data));
    return 0;
}
