// RACY. Locks, blocks: tickets without a fence before the next number is called, so that the calls themselves race, too.
//@ launch: lock_by_tickets_no_fence_before_calling<<<2, 1>>>(next: u32[1], serving: u32[1], total: u32[1])
#include "support.h"

__global__ void lock_by_tickets_no_fence_before_calling(unsigned* next, unsigned* serving, unsigned* total) {
    unsigned ticket = atomicAdd(next, 1u);
    while (strong_load(relaxed, gpu, serving) != ticket) {
    }
    __threadfence();
    weak_store(total, weak_load(total) + 1);  //~ [barracuda, curd] race: missing-sync (with itself) by barracuda READEXCL  //~ [hb] race: missing-fence error (with itself) by hb "a flag or lock hand-off without its fence"
    strong_store(relaxed, gpu, serving, ticket + 1);  //~ [barracuda, curd] race: missing-sync (with itself) by barracuda WRITEEXCL
}
