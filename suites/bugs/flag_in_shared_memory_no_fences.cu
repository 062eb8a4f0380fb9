// RACY. Flags, warps of one block: data and flag in shared memory, without fences. The flag itself is a race, too.
//@ launch: flag_in_shared_memory_no_fences<<<1, 64>>>(out: u32[1])
#include "support.h"

__global__ void flag_in_shared_memory_no_fences(unsigned* out) {
    __shared__ unsigned words[3];
    unsigned* data = &words[0];
    unsigned* flag = &words[2];
    if (threadIdx.x == 0) {
        weak_store(flag, 0);
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        weak_store(data, 1);
        strong_store(relaxed, cta, flag, 1);
    } else if (threadIdx.x == 32) {
        while (strong_load(relaxed, cta, flag) == 0) {  //~ [barracuda] race: missing-sync (with line 15) by barracuda READEXCL  //~ [curd] race: missing-sync (with line 15) by curd intra-block
        }
        out[0] = weak_load(data);  //~ [barracuda] race: missing-sync (with line 14) by barracuda READEXCL  //~ [curd] race: missing-sync (with line 14) by curd intra-block  //~ [hb] race: missing-fence error (with line 14) by hb "a flag or lock hand-off without its fence"
    }
}
