// Shared memory is outside of iGUARD's definition: only the race in global memory is found.
//@ launch: warps<<<1, 64>>>(data: u32[1], out: u32[2])
#include "support.h"

__global__ void warps(unsigned* data, unsigned* out) {
    __shared__ unsigned shared;
    if (threadIdx.x == 0) {
        weak_store(&shared, 1);
        weak_store(data, 1);
    } else if (threadIdx.x == 32) {
        out[0] = weak_load(&shared);  //~ [hb] race: missing-sync error (with line 8)
        out[1] = weak_load(data);  //~ race: missing-sync error (with line 9)
    }
}
