// CLEAN. A conditional addition becomes the addition of a selected zero.
//@ speculated: kernel=accumulate loads=1 threads="0" gate="selp"
//@ launch: accumulate<<<1, 64>>>(out: i32[1024] = iota)
#include "harness.cuh"

__global__ void accumulate(int* out) {
    __shared__ int box;
    if (threadIdx.x == 0) {
        box = 40;
    }
    __syncthreads();
    int sum = out[threadIdx.x];
    if (threadIdx.x == 0) {
        sum += box;  //# conditional load
    }
    out[threadIdx.x] = sum;
    if (threadIdx.x == 0) {
        box = 9;
    }
    __syncthreads();
    out[threadIdx.x] += box;
}

int main() {
    return run(accumulate, 1, [](int i) { return i + (i == 0 ? 40 : 0) + 9; });
}
