// CLEAN. Flags, blocks: a device fence before the flag is set and a device fence after it is seen.
//@ launch: flag_blocks_device_fence_and_device_fence<<<2, 1>>>(data: u32[1], flag: u32[1], out: u32[1])
#include "support.h"

__global__ void flag_blocks_device_fence_and_device_fence(unsigned* data, unsigned* flag, unsigned* out) {
    if (blockIdx.x == 0) {
        weak_store(data, 1);
        __threadfence();
        strong_store(relaxed, gpu, flag, 1);
    } else {
        while (strong_load(relaxed, gpu, flag) == 0) {
        }
        __threadfence();
        out[0] = weak_load(data);  //~ [barracuda, curd] clean by barracuda ACQGLOBAL  //~ [hb] clean by hb "a flag hand-off works through st; fence; st.relaxed flag"
    }
}
