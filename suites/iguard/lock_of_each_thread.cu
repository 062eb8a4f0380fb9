// CLEAN. Lanes of a warp take locks at the same time, each its own, and each lock has data of its own.
//@ launch: add<<<2, 32>>>(locks: u32[8], totals: u32[8])
#include "support.h"

__global__ void add(unsigned* locks, unsigned* totals) {
    unsigned own = threadIdx.x % 8;
    bool done = false;
    while (!done) {
        if (atom_cas(relaxed, gpu, locks + own, 0, 1) == 0) {
            fence(acq_rel, gpu);
            weak_store(totals + own, weak_load(totals + own) + 1);
            fence(acq_rel, gpu);
            atom_exch(relaxed, gpu, locks + own, 0);
            done = true;
        }
    }
}
