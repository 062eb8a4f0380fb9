// Two kernels in two streams write the same array.
// verdict: race
#include "check.h"

constexpr int COUNT = 512;

__global__ void fill_with_ones(int* data) {
    data[blockIdx.x * blockDim.x + threadIdx.x] = 1;
}

__global__ void fill_with_numbers(int* data) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    data[i] = i;  //~ race: inter-kernel error (with line 8)
}

int main() {
    int* data;
    CHECK(cudaMalloc(&data, COUNT * sizeof(int)));
    cudaStream_t first, second;
    CHECK(cudaStreamCreate(&first));
    CHECK(cudaStreamCreate(&second));
    fill_with_ones<<<2, 256, 0, first>>>(data);
    CHECK(cudaGetLastError());
    fill_with_numbers<<<2, 256, 0, second>>>(data);
    CHECK(cudaGetLastError());
    CHECK(cudaStreamSynchronize(first));
    CHECK(cudaStreamSynchronize(second));
    std::printf("both kernels are done\n");
    CHECK(cudaStreamDestroy(first));
    CHECK(cudaStreamDestroy(second));
    CHECK(cudaFree(data));
    return 0;
}
