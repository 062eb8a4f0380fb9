// Runs a clean kernel, and uses a part of CUDA's API that warpsan does not answer. It ignores errors.
#include <cuda_runtime.h>

__global__ void fill(int* numbers) {
    numbers[threadIdx.x] = threadIdx.x;
}

int main() {
    int* numbers;
    cudaMalloc(&numbers, 64 * sizeof(int));
    fill<<<1, 64>>>(numbers);
    cudaArray_t array = nullptr;
    cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
    cudaMallocArray(&array, &format, 64, 1);
    cudaDeviceSynchronize();
    return 0;
}
