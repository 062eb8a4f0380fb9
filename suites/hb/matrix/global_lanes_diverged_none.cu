// RACY. "Then/else paths of one branch, or lanes that diverged": global memory, two lanes.
//@ launch: hand_over<<<1, 32>>>(data: u32[1], out: u32[1])
#include "../support.h"

__global__ void hand_over(unsigned* data, unsigned* out) {
    if (threadIdx.x == 3) {
        weak_store(data, 1);
    } else if (threadIdx.x == 7) {
        out[0] = weak_load(data);  //~ race: divergence error (with line 7)
    }
}
