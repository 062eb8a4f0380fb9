// RACY. xor needs both its sides, unlike and.pred and or.pred.
//@ speculated: kernel=unguarded_exclusive_or loads=0
//@ launch: unguarded_exclusive_or<<<1, 64>>>(out: i32[1024] = iota)
#include "harness.cuh"

__device__ int box = 40;

__global__ void unguarded_exclusive_or(int* out) {
    bool differs = (threadIdx.x == 0) != (box > 3);  //~ race: missing-sync (with line 12)
    out[threadIdx.x] = differs;
    if (threadIdx.x == 0) {
        box = 5;
    }
}

int main() {
    // The values depend on how the threads happened to run, so they are not looked at.
    launch(unguarded_exclusive_or, 1);
    return 0;
}
