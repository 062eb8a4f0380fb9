// RACY. The integer `or` of the thread index and the load is compared with zero, as in
// compare_with_zero.cu, but also stored.
//@ speculated: kernel=unguarded_integer_or loads=0
//@ launch: unguarded_integer_or<<<1, 64>>>(out: i32[1024] = iota)
#include "harness.cuh"

__device__ int box = 40;

__global__ void unguarded_integer_or(int* out) {
    unsigned both = threadIdx.x | box;  //~ race: missing-sync (with line 16)
    out[threadIdx.x] = both;
    if (both == 0) {
        out[threadIdx.x + THREADS] = 1;
    }
    if (threadIdx.x == 0) {
        box = 5;
    }
}

int main() {
    // The values depend on how the threads happened to run, so they are not looked at.
    launch(unguarded_integer_or, 1);
    return 0;
}
