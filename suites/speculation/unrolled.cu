// CLEAN. An unrolled loop over an array, one thread per element: every load stands before the comparison
// that guards it, and the selps form chains.
//@ speculated: kernel=unrolled loads=1 threads="0" gate="selp"
//@ speculated: kernel=unrolled loads=1 threads="1" gate="selp"
//@ speculated: kernel=unrolled loads=1 threads="2" gate="selp"
//@ speculated: kernel=unrolled loads=1 threads="3" gate="selp"
//@ launch: unrolled<<<1, 64>>>(out: i32[1024] = iota)
#include "harness.cuh"

__global__ void unrolled(int* out) {
    __shared__ int boxes[4];
    if (threadIdx.x < 4) {
        boxes[threadIdx.x] = out[threadIdx.x] + 40;
    }
    __syncthreads();
    int sum = 0;
#pragma unroll
    for (int i = 0; i < 4; i++) {
        if (threadIdx.x == i) {
            sum += boxes[i];  //# conditional load
        }
    }
    out[threadIdx.x] = sum;
    if (threadIdx.x < 4) {
        boxes[threadIdx.x] = sum + 1;
    }
    __syncthreads();
    out[threadIdx.x] += boxes[threadIdx.x % 4];
}

int main() {
    return run(unrolled, 1, [](int i) { return (i < 4 ? 40 + i : 0) + 41 + i % 4; });
}
