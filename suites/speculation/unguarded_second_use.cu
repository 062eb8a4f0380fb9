// RACY. A selp takes the value for thread 0, but the value is stored by every thread as well.
//@ speculated: kernel=unguarded_second_use loads=0
//@ launch: unguarded_second_use<<<1, 64>>>(out: i32[1024] = iota)
#include "harness.cuh"

__device__ int box = 40;

__global__ void unguarded_second_use(int* out) {
    int seen = box;  //~ race: missing-sync (with line 13)
    out[threadIdx.x] = threadIdx.x == 0 ? seen : 3;
    out[threadIdx.x + THREADS] = seen;
    if (threadIdx.x == 0) {
        box = 5;
    }
}

int main() {
    // The values depend on how the threads happened to run, so they are not looked at.
    launch(unguarded_second_use, 1);
    return 0;
}
