#include "scratch.cuh"

__device__ void fill(int n)
{
    for (int i = static_cast<int>(threadIdx.x); i < n; i += static_cast<int>(blockDim.x)) {
        scratch[i] = i * 2;
    }
}

__device__ int block_sum(int value)
{
    __shared__ int partial[64];
    partial[threadIdx.x] = value;
    __syncthreads();
    for (unsigned offset = blockDim.x / 2; offset > 0; offset /= 2) {
        if (threadIdx.x < offset) {
            partial[threadIdx.x] += partial[threadIdx.x + offset];
        }
        __syncthreads();
    }
    const int sum = partial[0];
    __syncthreads();
    return sum;
}
