// RACY. "ld.global.nc of memory written in the same launch": by another block.
//@ launch: look<<<2, 1>>>(data: u32[1], out: u32[1])
#include "../support.h"

__global__ void look(unsigned* data, unsigned* out) {
    if (blockIdx.x == 0) {
        weak_store(data, 1);
    } else {
        out[0] = __ldg(data);  //~ race: readonly-path error (with line 7)
    }
}
