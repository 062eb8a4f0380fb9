// RACY. Flags, blocks: the block in the middle hands on without fences.
//@ launch: flag_passed_on_without_fences<<<3, 1>>>(data: u32[1], flags: u32[2], out: u32[2])
#include "support.h"

__global__ void flag_passed_on_without_fences(unsigned* data, unsigned* flags, unsigned* out) {
    if (blockIdx.x == 0) {
        weak_store(data, 1);
        __threadfence();
        strong_store(relaxed, gpu, flags, 1);
    } else if (blockIdx.x == 1) {
        while (strong_load(relaxed, gpu, flags) == 0) {
        }
        out[0] = 1;
        strong_store(relaxed, gpu, flags + 1, 1);
    } else {
        while (strong_load(relaxed, gpu, flags + 1) == 0) {
        }
        __threadfence();
        out[1] = weak_load(data);  //~ [barracuda, curd] race: missing-sync (with line 7) by barracuda READEXCL  //~ [hb] race: missing-fence error (with line 7) by hb "a flag or lock hand-off without its fence"
    }
}
