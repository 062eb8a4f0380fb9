// RACY. The same without the flag: the bare order of two fence.sc is no edge.
//@ launch: hand_over<<<1, 32>>>(data: u32[1], out: u32[1])
#include "../support.h"

__global__ void hand_over(unsigned* data, unsigned* out) {
    if (threadIdx.x == 0) {
        weak_store(data, 1);
        fence(sc, cta);
    }
    __shfl_sync(~0u, threadIdx.x, 0);  // Lanes wait here, and it orders no memory.
    if (threadIdx.x == 1) {
        fence(sc, cta);
        out[0] = weak_load(data);  //~ race: divergence error (with line 7)
    }
}
