// RACY. Locks, blocks: tickets without a fence after the number was called.
//@ launch: lock_by_tickets_no_fence_after_waiting<<<2, 1>>>(next: u32[1], serving: u32[1], total: u32[1])
#include "support.h"

__global__ void lock_by_tickets_no_fence_after_waiting(unsigned* next, unsigned* serving, unsigned* total) {
    unsigned ticket = atomicAdd(next, 1u);
    while (strong_load(relaxed, gpu, serving) != ticket) {
    }
    weak_store(total, weak_load(total) + 1);  //~ [barracuda, curd] race: missing-sync (with itself) by barracuda READEXCL  //~ [hb] race: missing-fence error (with itself) by hb "a flag or lock hand-off without its fence"
    __threadfence();
    strong_store(relaxed, gpu, serving, ticket + 1);
}
