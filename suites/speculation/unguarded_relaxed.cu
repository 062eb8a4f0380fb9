// RACY. A strong load is never speculated: every thread runs it in the source too, and the plain write
// races with it.
//@ speculated: kernel=unguarded_relaxed loads=0
//@ launch: unguarded_relaxed<<<1, 64>>>(out: i32[1024] = iota)
#include "harness.cuh"

__device__ int box = 40;

__device__ int load_relaxed(const int* place) {
    int value;
    asm volatile("ld.relaxed.gpu.global.s32 %0, [%1];" : "=r"(value) : "l"(__cvta_generic_to_global(place)) : "memory");  //~ race: missing-sync (with line 19)
    return value;
}

__global__ void unguarded_relaxed(int* out) {
    int seen = load_relaxed(&box);
    out[threadIdx.x] = threadIdx.x == 0 ? seen : 3;
    if (threadIdx.x == 0) {
        box = 5;
    }
}

int main() {
    // The values depend on how the threads happened to run, so they are not looked at.
    launch(unguarded_relaxed, 1);
    return 0;
}
