// RACY. "hb does not count that bare order [of two fence.sc] as an edge".
//@ launch: hand_over<<<2, 1>>>(data: u32[1], out: u32[1])
#include "../support.h"

__global__ void hand_over(unsigned* data, unsigned* out) {
    if (blockIdx.x == 0) {
        weak_store(data, 1);
        fence(sc, gpu);
    } else {
        fence(sc, gpu);
        out[0] = weak_load(data);  //~ race: missing-sync error (with line 7)
    }
}
