// RACY. The fence of the reader is executed before that of the writer: with "--fence-sc=order", too, it is too early.
//@ launch: hand_over<<<1, 32>>>(data: u32[1], out: u32[1])
//@ flags: --fence-sc=order
#include "../support.h"

__global__ void hand_over(unsigned* data, unsigned* out) {
    if (threadIdx.x == 1) {
        fence(sc, cta);
    }
    __shfl_sync(~0u, threadIdx.x, 0);
    if (threadIdx.x == 0) {
        weak_store(data, 1);
        fence(sc, cta);
    }
    __shfl_sync(~0u, threadIdx.x, 0);  // Lanes wait here, and it orders no memory.
    if (threadIdx.x == 1) {
        out[0] = weak_load(data);  //~ race: divergence error (with line 12)
    }
}
