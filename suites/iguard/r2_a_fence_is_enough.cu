// No rule fits: the lane that wrote has executed a fence since. The PTX memory model asks for more than that.
//@ launch: lanes<<<1, 32>>>(data: u32[1], out: u32[1])
#include "support.h"

__global__ void lanes(unsigned* data, unsigned* out) {
    if (threadIdx.x == 3) {
        weak_store(data, 1);
        fence(acq_rel, cta);
    }
    if (threadIdx.x == 7) {
        out[0] = weak_load(data);  //~ [hb] race: divergence error (with line 7)
    }
}
