// R1: no fence mends the scope of an atomic. To the PTX memory model the load is ordered behind it.
//@ launch: hand_over<<<2, 1>>>(data: u32[1], flag: u32[1], out: u32[1])
#include "support.h"

__global__ void hand_over(unsigned* data, unsigned* flag, unsigned* out) {
    if (blockIdx.x == 0) {
        atom_add(relaxed, cta, data, 1);
        fence(acq_rel, gpu);
        tell(flag);
    } else {
        wait_for(flag, 1u);
        fence(acq_rel, gpu);
        out[0] = weak_load(data);  //~ [iguard] race: scope error (with line 7)
    }
}
