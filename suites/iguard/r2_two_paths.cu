// R2: two lanes on different paths.
//@ launch: paths<<<1, 32>>>(data: u32[1], out: u32[1])
#include "support.h"

__global__ void paths(unsigned* data, unsigned* out) {
    if (threadIdx.x == 3) {
        weak_store(data, 1);
    } else if (threadIdx.x == 7) {
        out[0] = weak_load(data);  //~ [iguard] race: warp-sync error (with line 7)  //~ [hb] race: divergence error (with line 7)
    }
}
