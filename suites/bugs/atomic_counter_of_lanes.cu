// CLEAN. Atomics: all lanes of one instruction add to one counter.
//@ launch: atomic_counter_of_lanes<<<1, 32>>>(counter: u32[1])
#include "support.h"

__global__ void atomic_counter_of_lanes(unsigned* counter) {
    atomicAdd(counter, threadIdx.x);  //~ [barracuda, curd] clean by barracuda ATOMEXCL  //~ [hb] clean by hb "both strong and each one's scope includes the other's thread"
}
