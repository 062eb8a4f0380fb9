// R4: every reader is noted, as in the paper, so that the last one is found.
//@ flags: --iguard-sharing=off
//@ launch: readers<<<4, 1>>>(data: u32[1], turn: u32[1], out: u32[3])
#include "support.h"

__global__ void readers(unsigned* data, unsigned* turn, unsigned* out) {
    wait_for(turn, blockIdx.x);
    if (blockIdx.x < 3) {
        if (blockIdx.x < 2) {
            out[blockIdx.x] = weak_load(data);
            fence(acq_rel, gpu);
        } else {
            out[2] = weak_load(data);
        }
    } else {
        fence(acq_rel, gpu);
        weak_store(data, 1);  //~ [iguard] race: missing-sync error (with line 13)  //~ [hb] race: missing-fence error (with line 13)
    }
    tell(turn);
}
