// CLEAN. Each warp reads a box of its own, and its first lane writes it after __syncwarp(). One selp takes
// either load: one counts where its predicate is true, the other where it is false.
//@ speculated: kernel=both_arms loads=1 threads="0-31" gate="selp"
//@ speculated: kernel=both_arms loads=1 threads="32-63" gate="selp"
//@ launch: both_arms<<<1, 64>>>(out: i32[1024] = iota)
#include "harness.cuh"

__device__ int low = 40;
__device__ int high = 50;

__global__ void both_arms(int* out) {
    int value;
    if (threadIdx.x < 32) {
        value = low;  //# conditional load
    } else {
        value = high;  //# conditional load
    }
    out[threadIdx.x] = value;
    __syncwarp();
    if (threadIdx.x == 0) {
        low = 1;
    }
    if (threadIdx.x == 32) {
        high = 2;
    }
}

int main() {
    return run(both_arms, 1, [](int i) { return i < 32 ? 40 : 50; });
}
