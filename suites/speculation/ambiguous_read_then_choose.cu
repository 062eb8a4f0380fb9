// RACY. The source reads in every thread and then chooses. The instructions are the same as for a
// conditional load; only the line of the load, which is above the line of the selp, tells the difference.
//@ speculated: kernel=ambiguous_read_then_choose loads=1 threads="0" gate="selp"
//@ launch: ambiguous_read_then_choose<<<1, 64>>>(out: i32[1024] = iota)
#include "harness.cuh"

__device__ int box = 40;

__global__ void ambiguous_read_then_choose(int* out) {
    int seen = box;  //# the source reads here in every thread
    out[threadIdx.x] = threadIdx.x == 0 ? seen : 3;
    if (threadIdx.x == 0) {
        box = 5;
    }
}

int main() {
    // The values depend on how the threads happened to run, so they are not looked at.
    launch(ambiguous_read_then_choose, 1);
    return 0;
}
