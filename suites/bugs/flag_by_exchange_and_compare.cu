// CLEAN. Flags, blocks: set by an exchange with a fence before it, seen by a compare-and-swap with a fence after it.
//@ launch: flag_by_exchange_and_compare<<<2, 1>>>(data: u32[1], flag: u32[1], out: u32[1])
#include "support.h"

__global__ void flag_by_exchange_and_compare(unsigned* data, unsigned* flag, unsigned* out) {
    if (blockIdx.x == 0) {
        weak_store(data, 1);
        __threadfence();
        atomicExch(flag, 1u);
    } else {
        while (atomicCAS(flag, 1u, 2u) != 1u) {
        }
        __threadfence();
        out[0] = weak_load(data);  //~ [barracuda, curd] clean by barracuda ACQGLOBAL  //~ [hb] clean by hb "a strong read of M followed by an acquire/acq_rel/sc fence"
    }
}
