// CLEAN. Atomics: two blocks add to one counter. Atomics do not race with each other.
//@ launch: atomic_counter_of_blocks<<<2, 1>>>(counter: u32[1])
#include "support.h"

__global__ void atomic_counter_of_blocks(unsigned* counter) {
    atomicAdd(counter, 1u);  //~ [barracuda, curd] clean by barracuda ATOMEXCL  //~ [hb] clean by hb "both strong and each one's scope includes the other's thread"
}
