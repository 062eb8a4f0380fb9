// RACY. Flags, blocks: the data are written after the flag is set.
//@ launch: flag_data_written_after<<<2, 1>>>(data: u32[1], flag: u32[1], out: u32[2])
#include "support.h"

__global__ void flag_data_written_after(unsigned* data, unsigned* flag, unsigned* out) {
    if (blockIdx.x == 0) {
        out[1] = 1;
        __threadfence();
        strong_store(relaxed, gpu, flag, 1);
        weak_store(data, 1);
    } else {
        while (strong_load(relaxed, gpu, flag) == 0) {
        }
        __threadfence();
        out[0] = weak_load(data);  //~ [barracuda, curd] race: missing-sync (with line 10) by barracuda RELGLOBAL  //~ [hb] race: missing-sync error (with line 10) by hb "no ordering at all"
    }
}
