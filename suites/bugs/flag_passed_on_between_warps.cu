// CLEAN. Flags and barriers: one thread sees another block's flag, and a barrier tells the rest of its block.
//@ launch: flag_passed_on_between_warps<<<2, 64>>>(data: u32[1], flag: u32[1], out: u32[64])
#include "support.h"

__global__ void flag_passed_on_between_warps(unsigned* data, unsigned* flag, unsigned* out) {
    if (blockIdx.x == 0) {
        if (threadIdx.x == 0) {
            weak_store(data, 1);
            __threadfence();
            strong_store(relaxed, gpu, flag, 1);
        }
    } else {
        if (threadIdx.x == 0) {
            while (strong_load(relaxed, gpu, flag) == 0) {
            }
            __threadfence();
        }
        __syncthreads();
        out[threadIdx.x] = weak_load(data);  //~ [barracuda, curd] clean by barracuda BAR  //~ [hb] clean by hb "Release synchronizes with acquire"
    }
}
