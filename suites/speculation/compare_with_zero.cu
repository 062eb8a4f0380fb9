// CLEAN. Two comparisons with zero become one comparison of an integer `or`: no predicate of the condition
// is left, the load counts where threadIdx.x is zero.
//@ speculated: kernel=compare_with_zero loads=1 threads="0" gate="or.b32"
//@ launch: compare_with_zero<<<1, 64>>>(out: i32[1024] = iota)
#include "harness.cuh"

__device__ int busy = 0;

__global__ void compare_with_zero(int* out) {
    if (threadIdx.x == 0 && busy == 0) {  //# conditional load
        out[threadIdx.x] = 100;
    }
    if (threadIdx.x == 0) {
        busy = 1;
    }
}

int main() {
    return run(compare_with_zero, 1, [](int i) { return i == 0 ? 100 : i; });
}
