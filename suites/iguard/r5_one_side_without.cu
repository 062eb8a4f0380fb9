// R5: a lock on one side, none on the other.
//@ launch: add<<<2, 1>>>(lock: u32[1], total: u32[1], turn: u32[1])
#include "support.h"

__global__ void add(unsigned* lock, unsigned* total, unsigned* turn) {
    if (blockIdx.x == 0) {
        while (atom_cas(relaxed, gpu, lock, 0, 1) != 0) {
        }
        fence(acq_rel, gpu);
        weak_store(total, 1);
        fence(acq_rel, gpu);
        atom_exch(relaxed, gpu, lock, 0);
        tell(turn);
    } else {
        wait_for(turn, 1u);
        fence(acq_rel, gpu);
        weak_store(total, 2);  //~ [iguard] race: lock error (with line 10)
    }
}
