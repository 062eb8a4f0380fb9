// CLEAN. "if (p) v = *x can become an unconditional load": it counts only for lanes whose guard is true.
//@ launch: scan<<<1, 64>>>(data: u32[64] = iota)
#include "../support.h"

__global__ void scan(unsigned* data) {
    unsigned left = 0;
    if (threadIdx.x == 33) {
        left = data[32];
    }
    __syncwarp();
    unsigned sum = left + data[threadIdx.x];
    if (threadIdx.x == 0 || threadIdx.x == 33) {
        data[threadIdx.x] = sum;
    }
}
