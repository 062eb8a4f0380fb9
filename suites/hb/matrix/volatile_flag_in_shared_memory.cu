// RACY. A volatile flag between two warps, with fences of block scope.
//@ launch: hand_over<<<1, 64>>>(out: u32[1])
#include "../support.h"

__global__ void hand_over(unsigned* out) {
    __shared__ unsigned data, flag;
    if (threadIdx.x == 0) {
        weak_store(&flag, 0);
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        weak_store(&data, 1);
        __threadfence_block();
        volatile_store(&flag, 1);
    } else if (threadIdx.x == 32) {
        while (volatile_load(&flag) == 0) {  //~ race: volatile warning (with line 14)
        }
        __threadfence_block();
        out[0] = weak_load(&data);
    }
}
