// RACY. "Two sites meeting in one phase: warning": each warp has its own __syncthreads.
//@ launch: wait<<<1, 64>>>(out: u32[64])
#include "../support.h"

__global__ void wait(unsigned* out) {
    if (threadIdx.x < 32) {
        weak_store(&out[threadIdx.x], 1);
        __syncthreads();
        weak_store(&out[threadIdx.x + 32], 2);
    } else {
        weak_store(&out[threadIdx.x], 3);
        __syncthreads();  //~ race: barrier-divergence warning (with line 8)
        weak_store(&out[threadIdx.x - 32], 4);
    }
}
