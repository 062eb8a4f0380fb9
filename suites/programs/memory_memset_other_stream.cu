// A memset in one stream clears what a kernel in another stream writes.
// verdict: race
#include "check.h"

constexpr int COUNT = 1024;

__global__ void number(int* data) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    data[i] = i;
}

int main() {
    int* data;
    CHECK(cudaMalloc(&data, COUNT * sizeof(int)));
    cudaStream_t one, other;
    CHECK(cudaStreamCreate(&one));
    CHECK(cudaStreamCreate(&other));
    CHECK(cudaMemsetAsync(data, 0, COUNT * sizeof(int), one));  //~ race: inter-kernel error (with line 9)
    number<<<4, 256, 0, other>>>(data);
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
    std::printf("cleared and numbered, in whatever order\n");
    CHECK(cudaStreamDestroy(one));
    CHECK(cudaStreamDestroy(other));
    CHECK(cudaFree(data));
    return 0;
}
