// CLEAN. Every thread adds to a sum and counts itself; who comes last reads the sum. Its atomic and its
// fence order it after all others, which would race if they read it.
//@ speculated: kernel=last_arrival loads=2 threads="one" gate="selp"
//@ launch: last_arrival<<<2, 64>>>(out: i32[1024] = iota)
#include "harness.cuh"

__device__ int parts[2];
__device__ unsigned arrived;
__device__ int reader;

__global__ void last_arrival(int* out) {
    int thread = blockIdx.x * blockDim.x + threadIdx.x;
    if (threadIdx.x == 0) {
        parts[blockIdx.x] = blockIdx.x + 20;
    }
    __syncthreads();
    __threadfence();
    unsigned before = atomicAdd(&arrived, 1);
    __threadfence();
    int value = 0;
    if (before == gridDim.x * blockDim.x - 1) {
        value = parts[0] + parts[1];  //# conditional load
    }
    atomicAdd(&reader, value);
    out[thread] = value == 0 || value == 41;
}

int main() {
    return run(last_arrival, 2, [](int) { return 1; });
}
