// CLEAN. Flags, warps of one block: data and flag in shared memory, with fences of the block.
//@ launch: flag_in_shared_memory<<<1, 64>>>(out: u32[1])
#include "support.h"

__global__ void flag_in_shared_memory(unsigned* out) {
    __shared__ unsigned data, flag;
    if (threadIdx.x == 0) {
        weak_store(&flag, 0);
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        weak_store(&data, 1);
        __threadfence_block();
        strong_store(relaxed, cta, &flag, 1);
    } else if (threadIdx.x == 32) {
        while (strong_load(relaxed, cta, &flag) == 0) {
        }
        __threadfence_block();
        out[0] = weak_load(&data);  //~ [barracuda, curd] clean by barracuda ACQBLOCK  //~ [hb] clean by hb "a flag hand-off works through st; fence; st.relaxed flag"
    }
}
