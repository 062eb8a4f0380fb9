// R3: two warps of one block, and nothing between them.
//@ launch: warps<<<1, 64>>>(data: u32[1], out: u32[1])
#include "support.h"

__global__ void warps(unsigned* data, unsigned* out) {
    if (threadIdx.x == 0) {
        weak_store(data, 1);
    } else if (threadIdx.x == 32) {
        out[0] = weak_load(data);  //~ race: missing-sync error (with line 7)
    }
}
