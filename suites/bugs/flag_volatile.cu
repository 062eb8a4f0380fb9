// CLEAN. Flags, blocks: a volatile flag with fences, as programs of the time have it.
//@ launch: flag_volatile<<<2, 1>>>(data: u32[1], flag: u32[1], out: u32[1])
#include "support.h"

__global__ void flag_volatile(unsigned* data, unsigned* flag, unsigned* out) {
    if (blockIdx.x == 0) {
        weak_store(data, 1);
        __threadfence();
        volatile_store(flag, 1);
    } else {
        while (volatile_load(flag) == 0) {  //~ [hb] race: volatile warning (with line 9) by hb "races in CUDA C++ but not in PTX"
        }
        __threadfence();
        out[0] = weak_load(data);  //~ [barracuda, curd] clean by barracuda ACQGLOBAL
    }
}
