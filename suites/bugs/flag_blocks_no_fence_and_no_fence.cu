// RACY. Flags, blocks: no fence before the flag is set and no fence after it is seen. The flag itself is a race, too.
//@ launch: flag_blocks_no_fence_and_no_fence<<<2, 1>>>(data: u32[1], flag: u32[1], out: u32[1])
#include "support.h"

__global__ void flag_blocks_no_fence_and_no_fence(unsigned* data, unsigned* flag, unsigned* out) {
    if (blockIdx.x == 0) {
        weak_store(data, 1);
        strong_store(relaxed, gpu, flag, 1);
    } else {
        while (strong_load(relaxed, gpu, flag) == 0) {  //~ [barracuda] race: missing-sync (with line 8) by barracuda READEXCL  //~ [curd] race: missing-sync (with line 8) by curd inter-block
        }
        out[0] = weak_load(data);  //~ [barracuda] race: missing-sync (with line 7) by barracuda READEXCL  //~ [curd] race: missing-sync (with line 7) by curd inter-block  //~ [hb] race: missing-fence error (with line 7) by hb "a flag or lock hand-off without its fence"
    }
}
