// RACY. Flags and barriers: one thread sees another block's flag, and the other warp of its block does not wait for it.
//@ launch: flag_seen_by_one_thread_only<<<2, 64>>>(data: u32[1], flag: u32[1], out: u32[64])
#include "support.h"

__global__ void flag_seen_by_one_thread_only(unsigned* data, unsigned* flag, unsigned* out) {
    if (blockIdx.x == 0) {
        if (threadIdx.x == 0) {
            weak_store(data, 1);
            __threadfence();
            strong_store(relaxed, gpu, flag, 1);
        }
    } else {
        if (threadIdx.x == 0) {
            while (strong_load(relaxed, gpu, flag) == 0) {
            }
            __threadfence();
        }
        if (threadIdx.x >= 32) {
            out[threadIdx.x] = weak_load(data);  //~ [barracuda, curd] race: missing-sync (with line 8) by barracuda READEXCL  //~ [hb] race: missing-sync error (with line 8) by hb "no ordering at all"
        }
    }
}
