// RACY. Flags, blocks: the writer's fence comes after the flag.
//@ launch: flag_fence_after_setting<<<2, 1>>>(data: u32[1], flag: u32[1], out: u32[1])
#include "support.h"

__global__ void flag_fence_after_setting(unsigned* data, unsigned* flag, unsigned* out) {
    if (blockIdx.x == 0) {
        weak_store(data, 1);
        strong_store(relaxed, gpu, flag, 1);
        __threadfence();
    } else {
        while (strong_load(relaxed, gpu, flag) == 0) {
        }
        __threadfence();
        out[0] = weak_load(data);  //~ [barracuda, curd] race: missing-sync (with line 7) by barracuda READEXCL  //~ [hb] race: missing-fence error (with line 7) by hb "a flag or lock hand-off without its fence"
    }
}
