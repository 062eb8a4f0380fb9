// Fetches from a texture, which warpsan does not do; with the argument "race" it also runs a racy kernel.
#include <cuda_runtime.h>

__global__ void fetch(cudaTextureObject_t texture, float* out) {
    out[threadIdx.x] = tex1Dfetch<float>(texture, threadIdx.x);
}

__global__ void rotate(float* numbers) {
    __shared__ float tile[64];
    tile[threadIdx.x] = numbers[threadIdx.x];
    numbers[threadIdx.x] = tile[(threadIdx.x + 32) % 64];
}

int main(int count, char**) {
    float* numbers;
    cudaMalloc(&numbers, 64 * sizeof(float));
    cudaMemset(numbers, 0, 64 * sizeof(float));
    if (count > 1) {
        rotate<<<1, 64>>>(numbers);
    }
    fetch<<<1, 64>>>(0, numbers);
    cudaDeviceSynchronize();
    return 0;
}
