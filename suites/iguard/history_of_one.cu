// The last accessor alone is remembered: it has executed a fence, so no rule fits the store; the reader before it is
// forgotten. The PTX memory model asks for all readers.
//@ launch: readers<<<3, 1>>>(data: u32[1], turn: u32[1], out: u32[2])
#include "support.h"

__global__ void readers(unsigned* data, unsigned* turn, unsigned* out) {
    wait_for(turn, blockIdx.x);
    if (blockIdx.x == 0) {
        out[0] = weak_load(data);
    } else if (blockIdx.x == 1) {
        out[1] = weak_load(data);
        fence(acq_rel, gpu);
    } else {
        fence(acq_rel, gpu);
        weak_store(data, 1);  //~ [hb] race: missing-fence error (with line 9)
    }
    tell(turn);
}
