// CLEAN. Not R5: each side holds two locks, and one of them is the same.
//@ launch: add<<<2, 1>>>(locks: u32[96], total: u32[1], turn: u32[1])
#include "support.h"

__global__ void add(unsigned* locks, unsigned* total, unsigned* turn) {
    unsigned* lock = locks + 33 + blockIdx.x * 33;
    wait_for(turn, blockIdx.x);
    while (atom_cas(relaxed, gpu, locks, 0, 1) != 0) {
    }
    while (atom_cas(relaxed, gpu, lock, 0, 1) != 0) {
    }
    fence(acq_rel, gpu);
    weak_store(total, weak_load(total) + 1);
    fence(acq_rel, gpu);
    atom_exch(relaxed, gpu, lock, 0);
    atom_exch(relaxed, gpu, locks, 0);
    tell(turn);
}
