// RACY. "Error where the write is before the read or unordered with it": another block writes what was read before.
//@ launch: look<<<2, 32>>>(data: u32[32], flag: u32[1], out: u32[32])
#include "../support.h"

__global__ void look(unsigned* data, unsigned* flag, unsigned* out) {
    if (blockIdx.x == 0) {
        out[threadIdx.x] = __ldg(&data[threadIdx.x]);
    } else {
        weak_store(&data[threadIdx.x], 1);  //~ race: readonly-path error (with line 7)
    }
}
