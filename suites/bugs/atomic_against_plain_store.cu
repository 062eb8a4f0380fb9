// RACY. Atomics: one block stores to a counter, another one adds to it.
//@ launch: atomic_against_plain_store<<<2, 1>>>(counter: u32[1])
#include "support.h"

__global__ void atomic_against_plain_store(unsigned* counter) {
    if (blockIdx.x == 0) {
        weak_store(counter, 100);
    } else {
        atomicAdd(counter, 1u);  //~ [barracuda, curd] race: missing-sync (with line 7) by barracuda INITATOMEXCL  //~ [hb] race: missing-sync error (with line 7) by hb "neither morally strong nor ordered either way"
    }
}
