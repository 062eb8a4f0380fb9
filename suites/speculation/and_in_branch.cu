// CLEAN. && in the condition of a branch: both sides are negated and joined by or.pred, and the branch
// jumps over the body.
//@ speculated: kernel=and_in_branch loads=1 threads="0" gate="or.pred"
//@ launch: and_in_branch<<<1, 64>>>(out: i32[1024] = iota)
#include "harness.cuh"

__device__ int box = 40;

__global__ void and_in_branch(int* out) {
    if (threadIdx.x == 0 && box > 3) {  //# conditional load
        out[threadIdx.x] = 100;
    }
    if (threadIdx.x == 0) {
        box = out[1];
    }
}

int main() {
    return run(and_in_branch, 1, [](int i) { return i == 0 ? 100 : i; });
}
