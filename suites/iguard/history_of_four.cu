// A history of four accessors does not reach back to the reader that seven others hide. The PTX memory model asks for all.
//@ flags: --iguard-history=4 --iguard-sharing=off
//@ launch: readers<<<9, 1>>>(data: u32[1], turn: u32[1], out: u32[8])
#include "support.h"

__global__ void readers(unsigned* data, unsigned* turn, unsigned* out) {
    wait_for(turn, blockIdx.x);
    if (blockIdx.x == 0) {
        out[0] = weak_load(data);
    } else if (blockIdx.x < 8) {
        out[blockIdx.x] = weak_load(data);
        fence(acq_rel, gpu);
    } else {
        fence(acq_rel, gpu);
        weak_store(data, 1);  //~ [hb] race: missing-fence error (with line 9)
    }
    tell(turn);
}
