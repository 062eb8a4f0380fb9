// RACY. The condition is true in both warps: the guard must not be taken from one half of it.
//@ speculated: kernel=unguarded_disjunction loads=1 threads="0,40-63" gate="selp"
//@ launch: unguarded_disjunction<<<1, 64>>>(out: i32[1024] = iota, n = 40)
#include "harness.cuh"

__device__ int box = 40;

__global__ void unguarded_disjunction(int* out, int n) {
    int value = 1;
    if (threadIdx.x == 0 || threadIdx.x >= n) {
        value = box;  //~ race: missing-sync (with line 15)
    }
    out[threadIdx.x] = value;
    if (threadIdx.x == 0) {
        box = 5;
    }
}

int main() {
    // The values depend on how the threads happened to run, so they are not looked at.
    launch(unguarded_disjunction, 1, 40);
    return 0;
}
