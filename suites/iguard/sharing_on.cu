// No rule fits: the second of three readers made the location one that blocks share, and is remembered; the third is not
// noted. The second has executed a fence. The PTX memory model asks for all readers.
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
        weak_store(data, 1);  //~ [hb] race: missing-fence error (with line 13)
    }
    tell(turn);
}
