// CLEAN. Lock, fences and data of one block.
//@ launch: add<<<2, 96>>>(locks: u32[2], totals: u32[2])
#include "support.h"

__global__ void add(unsigned* locks, unsigned* totals) {
    if (threadIdx.x % 32 == 0) {
        while (atom_cas(relaxed, cta, locks + blockIdx.x, 0, 1) != 0) {
        }
        fence(acq_rel, cta);
        weak_store(totals + blockIdx.x, weak_load(totals + blockIdx.x) + 1);
        fence(acq_rel, cta);
        atom_exch(relaxed, cta, locks + blockIdx.x, 0);
    }
}
