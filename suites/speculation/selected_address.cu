// CLEAN. The selected value is the index of another load, which all threads run: that one has no guard.
//@ speculated: kernel=selected_address loads=1 threads="0" gate="selp"
//@ launch: selected_address<<<1, 64>>>(out: i32[1024] = iota)
#include "harness.cuh"

__device__ int start = 40;

__global__ void selected_address(int* out) {
    int index = threadIdx.x;
    if (threadIdx.x == 0) {
        index = start;  //# conditional load
    }
    out[threadIdx.x] = out[index + THREADS];
    if (threadIdx.x == 0) {
        start = 3;
    }
}

int main() {
    return run(selected_address, 1, [](int i) { return 64 + (i == 0 ? 40 : i); });
}
