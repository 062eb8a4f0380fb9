// RACY. In each iteration a selp takes the loaded value for thread 0 only, but the next iteration stores it
// for every thread.
//@ speculated: kernel=unguarded_next_iteration loads=0
//@ launch: unguarded_next_iteration<<<1, 64>>>(out: i32[1024] = iota, n = 5)
#include "harness.cuh"

__global__ void unguarded_next_iteration(int* out, int n) {
    __shared__ int box;
    if (threadIdx.x == 0) {
        box = 40;
    }
    __syncthreads();
    int before = 0;
    for (int i = 0; i < n; i++) {
        int seen = box;  //~ race: missing-sync (with line 22)
        out[(i + 1) * THREADS + threadIdx.x] = (threadIdx.x == 0 ? seen : 3) + before;
        before = seen;
        __syncwarp();
    }
    out[threadIdx.x] = before;
    if (threadIdx.x == 0) {
        box = 5;
    }
}

int main() {
    // The values depend on how the threads happened to run, so they are not looked at.
    launch(unguarded_next_iteration, 1, 5);
    return 0;
}
