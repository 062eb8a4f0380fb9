// RACY. Flags, blocks: no fence before the flag is set and a block fence after it is seen.
//@ launch: flag_blocks_no_fence_and_block_fence<<<2, 1>>>(data: u32[1], flag: u32[1], out: u32[1])
#include "support.h"

__global__ void flag_blocks_no_fence_and_block_fence(unsigned* data, unsigned* flag, unsigned* out) {
    if (blockIdx.x == 0) {
        weak_store(data, 1);
        strong_store(relaxed, gpu, flag, 1);
    } else {
        while (strong_load(relaxed, gpu, flag) == 0) {
        }
        __threadfence_block();
        out[0] = weak_load(data);  //~ [barracuda, curd] race: missing-sync (with line 7) by barracuda READEXCL  //~ [hb] race: missing-fence error (with line 7) by hb "a flag or lock hand-off without its fence"
    }
}
