// RACY. The address depends on the thread: nvcc cannot know that such a load is harmless and never
// speculates it, so every thread reads in the source, though the value is stored by thread 0 only.
//@ speculated: kernel=unguarded_variable_address loads=0
//@ launch: unguarded_variable_address<<<1, 64>>>(out: i32[1024] = iota, n = 5)
#include "harness.cuh"

__global__ void unguarded_variable_address(int* out, int n) {
    __shared__ int boxes[THREADS];
    boxes[threadIdx.x] = out[threadIdx.x];
    __syncthreads();
    int seen = boxes[threadIdx.x ^ 33];  //~ race: missing-sync (with line 13)
    out[threadIdx.x] = threadIdx.x == 0 ? seen : 3;
    boxes[threadIdx.x] = n;
    __syncthreads();
    out[threadIdx.x] += boxes[threadIdx.x ^ 32];
}

int main() {
    // The values depend on how the threads happened to run, so they are not looked at.
    launch(unguarded_variable_address, 1, 5);
    return 0;
}
