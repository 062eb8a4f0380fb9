// CLEAN. The variable is stored in one arm, so its value is known there; the speculated load is left over
// in the other arm, which only those threads run that never read it in the source.
//@ speculated: kernel=opposite_arm loads=1 threads="" gate="selp"
//@ launch: opposite_arm<<<1, 64>>>(out: i32[1024] = iota, n = 6)
#include "harness.cuh"

__device__ int box;

__global__ void opposite_arm(int* out, int n) {
    if (threadIdx.x == 0) {
        box = n;
    }
    int value = 7;
    if (threadIdx.x == 0) {
        value = box;  //# conditional load
    }
    out[threadIdx.x] = value;
}

int main() {
    return run(opposite_arm, 1, [](int i) { return i == 0 ? 6 : 7; }, 6);
}
