// R4: a lock without fences is no lock; what is missing is told as a missing fence.
//@ launch: add<<<2, 1>>>(lock: u32[1], total: u32[1], turn: u32[1])
#include "support.h"

__global__ void add(unsigned* lock, unsigned* total, unsigned* turn) {
    if (blockIdx.x == 1) {
        wait_for(turn, 1u);
    }
    while (atom_cas(relaxed, gpu, lock, 0, 1) != 0) {
    }
    unsigned sum = weak_load(total) + 1;  //~ [iguard] race: missing-sync error (with line 12)  //~ [hb] race: missing-fence error (with line 12)
    weak_store(total, sum);  //~ [hb] race: missing-fence error (with itself)
    atom_exch(relaxed, gpu, lock, 0);
    tell(turn);
}
