// RACY. Both operands of the selp come from the load, so every thread needs it.
//@ speculated: kernel=unguarded_both_operands loads=0
//@ launch: unguarded_both_operands<<<1, 64>>>(out: i32[1024] = iota)
#include "harness.cuh"

__device__ int box = 40;

__global__ void unguarded_both_operands(int* out) {
    int seen = box;  //~ race: missing-sync (with line 12)
    out[threadIdx.x] = threadIdx.x == 0 ? seen * seen : seen + 9;
    if (threadIdx.x == 0) {
        box = 5;
    }
}

int main() {
    // The values depend on how the threads happened to run, so they are not looked at.
    launch(unguarded_both_operands, 1);
    return 0;
}
