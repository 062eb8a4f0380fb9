// RACY. The writing lane has waited for all reading lanes but one.
//@ launch: read_then_write<<<1, 32>>>(out: u32[32])
#include "../support.h"

__global__ void read_then_write(unsigned* out) {
    __shared__ unsigned s;
    out[threadIdx.x] = weak_load(&s);
    if (threadIdx.x != 9) {
        __syncwarp(~(1u << 9));
        if (threadIdx.x == 20) {
            weak_store(&s, 2);  //~ race: warp-sync error (with line 7)
        }
    }
}
