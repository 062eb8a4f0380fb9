// A copy on the device in one stream reads what a kernel in another stream is writing.
// verdict: race
#include "check.h"

constexpr int COUNT = 1024;

__global__ void number(int* data) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    data[i] = i;
}

int main() {
    int* data;
    int* copy;
    CHECK(cudaMalloc(&data, COUNT * sizeof(int)));
    CHECK(cudaMalloc(&copy, COUNT * sizeof(int)));
    cudaStream_t one, other;
    CHECK(cudaStreamCreate(&one));
    CHECK(cudaStreamCreate(&other));
    number<<<4, 256, 0, one>>>(data);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpyAsync(copy, data, COUNT * 4, cudaMemcpyDeviceToDevice, other));  //~ race: inter-kernel error (with line 9)
    CHECK(cudaDeviceSynchronize());
    int last = 0;
    CHECK(cudaMemcpy(&last, data + COUNT - 1, sizeof last, cudaMemcpyDeviceToHost));
    std::printf("last number: %d\n", last);
    CHECK(cudaStreamDestroy(one));
    CHECK(cudaStreamDestroy(other));
    CHECK(cudaFree(copy));
    CHECK(cudaFree(data));
    return 0;
}
