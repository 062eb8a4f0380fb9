// CLEAN. A pointer is chosen, then read: the compiler reads both places and chooses the value.
//@ speculated: kernel=pointer_select loads=1 threads="0-31" gate="selp"
//@ speculated: kernel=pointer_select loads=1 threads="32-63" gate="selp"
//@ launch: pointer_select<<<1, 64>>>(out: i32[1024] = iota)
#include "harness.cuh"

__device__ int low = 40;
__device__ int high = 50;

__global__ void pointer_select(int* out) {
    const int* box = threadIdx.x < 32 ? &low : &high;
    out[threadIdx.x] = *box;  //# conditional load
    __syncwarp();
    if (threadIdx.x == 0) {
        low = 1;
    }
    if (threadIdx.x == 32) {
        high = 2;
    }
}

int main() {
    return run(pointer_select, 1, [](int i) { return i < 32 ? 40 : 50; });
}
