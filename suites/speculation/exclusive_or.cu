// CLEAN. The condition is the xor of two predicates; the second is the same for the whole block.
//@ speculated: kernel=exclusive_or loads=1 threads="0" gate="selp"
//@ launch: exclusive_or<<<1, 64>>>(out: i32[1024] = iota, a = 3, b = 4)
#include "harness.cuh"

__device__ int box = 40;

__global__ void exclusive_or(int* out, int a, int b) {
    int value = 3;
    if ((threadIdx.x == 0) != (a > b)) {
        value = box;  //# conditional load
    }
    out[threadIdx.x] = value;
    if (threadIdx.x == 0) {
        box = 5;
    }
}

int main() {
    return run(exclusive_or, 1, [](int i) { return i == 0 ? 40 : 3; }, 3, 4);
}
