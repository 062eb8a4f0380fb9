// CLEAN. One bit of the loaded word is taken out by a shift and a mask before and.pred.
//@ speculated: kernel=flag_bit loads=1 threads="0" gate="and.pred"
//@ launch: flag_bit<<<1, 64>>>(out: i32[1024] = iota)
#include "harness.cuh"

__device__ unsigned flags = 6;

__global__ void flag_bit(int* out) {
    bool set = threadIdx.x == 0 && (flags & 4) != 0;  //# conditional load
    out[threadIdx.x] = set;
    if (threadIdx.x == 0) {
        flags = 1;
    }
}

int main() {
    return run(flag_bit, 1, [](int i) { return i == 0 ? 1 : 0; });
}
