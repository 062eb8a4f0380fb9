// CLEAN. Not R5: both hold the lock, the one that writes and the one that reads. That the writer reads again without it does not matter.
//@ launch: pass_on<<<2, 1>>>(locks: u32[64], total: u32[1], turn: u32[1], out: u32[2])
#include "support.h"

__global__ void pass_on(unsigned* locks, unsigned* total, unsigned* turn, unsigned* out) {
    unsigned* lock = locks + (blockIdx.x == 0 ? 0 : 0);
    wait_for(turn, blockIdx.x);
    while (atom_cas(relaxed, gpu, lock, 0, 1) != 0) {
    }
    fence(acq_rel, gpu);
    if (blockIdx.x == 0) {
        weak_store(total, 1);
    } else {
        out[1] = weak_load(total);
    }
    fence(acq_rel, gpu);
    atom_exch(relaxed, gpu, lock, 0);
    if (blockIdx.x == 0) {
        out[0] = weak_load(total);
    }
    tell(turn);
}
