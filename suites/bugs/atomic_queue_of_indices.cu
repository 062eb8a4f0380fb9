// CLEAN. Atomics: threads of two blocks take places by an atomic, and each writes to its own.
//@ launch: atomic_queue_of_indices<<<2, 32>>>(next: u32[1], places: u32[64])
#include "support.h"

__global__ void atomic_queue_of_indices(unsigned* next, unsigned* places) {
    unsigned own = atomicAdd(next, 1u);
    weak_store(places + own, threadIdx.x);  //~ [barracuda, curd] clean by barracuda WRITEEXCL  //~ [hb] clean by hb "two operations that overlap"
}
