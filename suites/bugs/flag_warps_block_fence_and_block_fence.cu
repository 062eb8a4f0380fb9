// CLEAN. Flags, warps of one block: a block fence before the flag is set and a block fence after it is seen.
//@ launch: flag_warps_block_fence_and_block_fence<<<1, 64>>>(data: u32[1], flag: u32[1], out: u32[1])
#include "support.h"

__global__ void flag_warps_block_fence_and_block_fence(unsigned* data, unsigned* flag, unsigned* out) {
    if (threadIdx.x == 0) {
        weak_store(data, 1);
        __threadfence_block();
        strong_store(relaxed, gpu, flag, 1);
    } else if (threadIdx.x == 32) {
        while (strong_load(relaxed, gpu, flag) == 0) {
        }
        __threadfence_block();
        out[0] = weak_load(data);  //~ [barracuda, curd] clean by barracuda ACQBLOCK  //~ [hb] clean by hb "a flag hand-off works through st; fence; st.relaxed flag"
    }
}
