// RACY. The predicate of the selp is false for most threads in most iterations, but true for every thread
// in one of them.
//@ speculated: kernel=unguarded_any_iteration loads=1 threads="0-63" gate="selp"
//@ launch: unguarded_any_iteration<<<1, 64>>>(out: i32[1024] = iota, n = 64)
#include "harness.cuh"

__device__ int box = 40;

__global__ void unguarded_any_iteration(int* out, int n) {
    int sum = 0;
    for (int i = 0; i < n; i++) {
        if (threadIdx.x == i) {
            sum += box;  //~ race: missing-sync (with line 20)
        } else {
            sum ^= i;
        }
    }
    out[threadIdx.x] = sum;
    if (threadIdx.x == 0) {
        box = 5;
    }
}

int main() {
    // The values depend on how the threads happened to run, so they are not looked at.
    launch(unguarded_any_iteration, 1, 64);
    return 0;
}
