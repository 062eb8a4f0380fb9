// CLEAN. Small types and a half: the values are widened or combined between the load and the selp.
//@ speculated: kernel=narrow_types loads=4 threads="0" gate="selp"
//@ launch: narrow_types<<<1, 64>>>(out: i32[1024] = iota)
#include "harness.cuh"
#include <cuda_fp16.h>

__device__ short small = 5;
__device__ unsigned char tiny = 6;
__device__ bool flag = true;
__device__ __half half_box;  // Zero.

__global__ void narrow_types(int* out) {
    int value = threadIdx.x == 0 ? small * tiny : 1;  //# conditional load
    __half real = __int2half_rn(2);
    if (threadIdx.x == 0) {
        real = half_box;  //# conditional load
    }
    bool bit = false;
    if (threadIdx.x == 0) {
        bit = flag;  //# conditional load
    }
    out[threadIdx.x] = value + __half2int_rn(real) + bit;
    if (threadIdx.x == 0) {
        small = 1;
        tiny = 2;
        flag = false;
        half_box = real;
    }
}

int main() {
    return run(narrow_types, 1, [](int i) { return i == 0 ? 31 : 3; });
}
