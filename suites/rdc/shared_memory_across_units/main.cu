// A kernel whose shared memory is written by another unit.
#include <cstdio>

#include "scratch.cuh"

__global__ void kernel(int *out, int n)
{
    __shared__ int own;
    fill(n);
    if (threadIdx.x == 0) {
        own = 5;
    }
    __syncthreads();
    const int first = block_sum(scratch[n - 1 - threadIdx.x]);
    const int second = block_sum(own);
    if (threadIdx.x == 0) {
        *out = first + second;
    }
}

int main()
{
    int *out = nullptr;
    cudaMalloc(&out, sizeof(int));
    kernel<<<1, 64, 64 * sizeof(int)>>>(out, 64);
    int host = 0;
    cudaMemcpy(&host, out, sizeof(host), cudaMemcpyDeviceToHost);
    if (host != 4032 + 320) {
        std::printf("wrong %d\n", host);
        return 1;
    }
    std::printf("ok %d\n", host);
    return 0;
}
