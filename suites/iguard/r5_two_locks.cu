// R5: two locks for one location. That the flag orders the two in this run does not matter to a lockset.
//@ launch: add<<<2, 1>>>(locks: u32[64], total: u32[1], turn: u32[1])
#include "support.h"

__global__ void add(unsigned* locks, unsigned* total, unsigned* turn) {
    unsigned* lock = locks + blockIdx.x * 33;
    wait_for(turn, blockIdx.x);
    while (atom_cas(relaxed, gpu, lock, 0, 1) != 0) {
    }
    fence(acq_rel, gpu);
    unsigned sum = weak_load(total) + 1;  //~ [iguard] race: lock error (with line 12)
    weak_store(total, sum);
    fence(acq_rel, gpu);
    atom_exch(relaxed, gpu, lock, 0);
    tell(turn);
}
