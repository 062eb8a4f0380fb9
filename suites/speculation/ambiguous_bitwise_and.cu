// RACY. The source reads in every thread, because & does not short-circuit. The instructions are the same
// as for &&: from them alone nobody can tell, and the load gets the guard of short_circuit_and.cu. The
// value that the other threads read is not observed.
//@ speculated: kernel=ambiguous_bitwise_and loads=1 threads="0" gate="and.pred"
//@ launch: ambiguous_bitwise_and<<<1, 64>>>(out: i32[1024] = iota)
#include "harness.cuh"

__device__ int box = 40;

__global__ void ambiguous_bitwise_and(int* out) {
    bool found = (threadIdx.x == 0) & (box > 3);  //# the source reads here in every thread
    out[threadIdx.x] = found;
    if (threadIdx.x == 0) {
        box = 5;
    }
}

int main() {
    // The values depend on how the threads happened to run, so they are not looked at.
    launch(ambiguous_bitwise_and, 1);
    return 0;
}
