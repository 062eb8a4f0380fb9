// CLEAN. One lane takes the lock for its warp: it holds from the fence behind the compare-and-swap to the exchange.
//@ launch: add<<<3, 64>>>(lock: u32[1], total: u32[1])
#include "support.h"

__global__ void add(unsigned* lock, unsigned* total) {
    if (threadIdx.x % 32 == 0) {
        while (atom_cas(relaxed, gpu, lock, 0, 1) != 0) {
        }
        fence(acq_rel, gpu);
        weak_store(total, weak_load(total) + 1);
        fence(acq_rel, gpu);
        atom_exch(relaxed, gpu, lock, 0);
    }
}
