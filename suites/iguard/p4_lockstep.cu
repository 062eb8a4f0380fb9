// P4: lanes that execute an instruction together are taken to be in lockstep. To the PTX memory model they are
// threads like any others.
//@ launch: rotate<<<1, 32>>>(data: u32[32], out: u32[32])
#include "support.h"

__global__ void rotate(unsigned* data, unsigned* out) {
    weak_store(data + threadIdx.x, threadIdx.x);
    unsigned next = weak_load(data + (threadIdx.x + 1) % 32);  //~ [hb] race: warp-sync error (with line 7)
    weak_store(out + threadIdx.x, next);
}
