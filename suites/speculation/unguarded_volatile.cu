// RACY. A volatile load is never speculated: every thread runs it in the source too, though a selp takes
// its value for thread 0 only.
//@ speculated: kernel=unguarded_volatile loads=0
//@ launch: unguarded_volatile<<<1, 64>>>(out: i32[1024] = iota)
#include "harness.cuh"

__device__ int box = 40;

__global__ void unguarded_volatile(int* out) {
    int seen = *(volatile int*)&box;  //~ race: missing-sync (with line 13)
    out[threadIdx.x] = threadIdx.x == 0 ? seen : 3;
    if (threadIdx.x == 0) {
        box = 5;
    }
}

int main() {
    // The values depend on how the threads happened to run, so they are not looked at.
    launch(unguarded_volatile, 1);
    return 0;
}
