// R5: the last accessor held the lock of the store, and the one before it another. A history of two has the locks of both.
//@ flags: --iguard-history=2
//@ launch: update<<<3, 1>>>(locks: u32[64], total: u32[1], turn: u32[1], out: u32[2])
#include "support.h"

__global__ void update(unsigned* locks, unsigned* total, unsigned* turn, unsigned* out) {
    unsigned* lock = locks + (blockIdx.x == 0 ? 33 : 0);
    wait_for(turn, blockIdx.x);
    while (atom_cas(relaxed, gpu, lock, 0, 1) != 0) {
    }
    fence(acq_rel, gpu);
    if (blockIdx.x < 2) {
        out[blockIdx.x] = weak_load(total);
    } else {
        weak_store(total, 1);  //~ [iguard] race: lock error (with line 13)
    }
    fence(acq_rel, gpu);
    atom_exch(relaxed, gpu, lock, 0);
    tell(turn);
}
