// RACY. Global memory, blocks: volatile is no synchronisation.
//@ launch: global_blocks_volatile<<<2, 1>>>(data: u32[1], out: u32[1])
#include "support.h"

__global__ void global_blocks_volatile(unsigned* data, unsigned* out) {
    if (blockIdx.x == 0) {
        volatile_store(data, 1);
    } else {
        out[0] = volatile_load(data);  //~ [barracuda] race: missing-sync (with line 7) by barracuda READEXCL  //~ [curd] race: missing-sync (with line 7) by curd inter-block  //~ [hb] race: volatile warning (with line 7) by hb "races in CUDA C++ but not in PTX"
    }
}
