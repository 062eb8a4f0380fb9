// CLEAN. 64-bit integers and doubles.
//@ speculated: kernel=wide_types loads=2 threads="0" gate="selp"
//@ launch: wide_types<<<1, 64>>>(out: i32[1024] = iota)
#include "harness.cuh"

__device__ long long box = 40;
__device__ double real_box = 50;

__global__ void wide_types(int* out) {
    long long value = 1;
    double real = 2;
    if (threadIdx.x == 0) {
        value = box;      //# conditional load
        real = real_box;  //# conditional load
    }
    out[threadIdx.x] = value + (long long)real;
    if (threadIdx.x == 0) {
        box = 2;
        real_box = 3;
    }
}

int main() {
    return run(wide_types, 1, [](int i) { return i == 0 ? 90 : 3; });
}
