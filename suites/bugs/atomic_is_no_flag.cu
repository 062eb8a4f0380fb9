// RACY. Atomics: a flag of atomics without fences. Atomics alone order nothing.
//@ launch: atomic_is_no_flag<<<2, 1>>>(data: u32[1], flag: u32[1], out: u32[1])
#include "support.h"

__global__ void atomic_is_no_flag(unsigned* data, unsigned* flag, unsigned* out) {
    if (blockIdx.x == 0) {
        weak_store(data, 1);
        tell(flag);
    } else {
        wait_for(flag, 1u);
        out[0] = weak_load(data);  //~ [barracuda, curd] race: missing-sync (with line 7) by barracuda READEXCL  //~ [hb] race: missing-fence error (with line 7) by hb "a flag or lock hand-off without its fence"
    }
}
