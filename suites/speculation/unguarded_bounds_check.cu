// RACY. Every thread adds up shared elements, but only threads inside the bounds store the sum: a branch
// behind a barrier is no guard of the loads.
//@ speculated: kernel=unguarded_bounds_check loads=0
//@ launch: unguarded_bounds_check<<<1, 64>>>(out: i32[1024] = iota, n = 5)
#include "harness.cuh"

__global__ void unguarded_bounds_check(int* out, int n) {
    __shared__ int boxes[THREADS];
    boxes[threadIdx.x] = out[threadIdx.x];
    int sum = 0;
    for (int i = 0; i < THREADS; i++) {
        sum += boxes[i];  //~ race: missing-sync (with line 9)
    }
    __syncthreads();
    if (threadIdx.x < n) {
        out[threadIdx.x] = sum;
    }
}

int main() {
    // The values depend on how the threads happened to run, so they are not looked at.
    launch(unguarded_bounds_check, 1, 5);
    return 0;
}
