// RACY. "Lanes of one warp at different .aligned barriers".
//@ launch: wait<<<1, 32>>>(out: u32[32])
#include "../support.h"

__global__ void wait(unsigned* out) {
    if (threadIdx.x < 16) {
        weak_store(&out[threadIdx.x], 1);
        __syncthreads();
        weak_store(&out[threadIdx.x], 2);
    } else {
        weak_store(&out[threadIdx.x], 3);
        __syncthreads();  //~ race: barrier-divergence error (with line 8)
        weak_store(&out[threadIdx.x], 4);
    }
}
