// RACY. Atomics: a flag of atomics without fences, between two warps.
//@ launch: atomic_is_no_flag_in_a_block<<<1, 64>>>(data: u32[1], flag: u32[1], out: u32[1])
#include "support.h"

__global__ void atomic_is_no_flag_in_a_block(unsigned* data, unsigned* flag, unsigned* out) {
    if (threadIdx.x == 0) {
        weak_store(data, 1);
        tell(flag);
    } else if (threadIdx.x == 32) {
        wait_for(flag, 1u);
        out[0] = weak_load(data);  //~ [barracuda, curd] race: missing-sync (with line 7) by barracuda READEXCL  //~ [hb] race: missing-fence error (with line 7) by hb "a flag or lock hand-off without its fence"
    }
}
