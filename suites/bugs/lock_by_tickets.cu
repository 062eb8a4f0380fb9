// CLEAN. Locks, blocks: tickets, and a number that is called by a store.
//@ launch: lock_by_tickets<<<2, 1>>>(next: u32[1], serving: u32[1], total: u32[1])
#include "support.h"

__global__ void lock_by_tickets(unsigned* next, unsigned* serving, unsigned* total) {
    unsigned ticket = atomicAdd(next, 1u);
    while (strong_load(relaxed, gpu, serving) != ticket) {
    }
    __threadfence();
    weak_store(total, weak_load(total) + 1);  //~ [barracuda, curd] clean by barracuda ACQGLOBAL  //~ [hb] clean by hb "Release synchronizes with acquire"
    __threadfence();
    strong_store(relaxed, gpu, serving, ticket + 1);
}
