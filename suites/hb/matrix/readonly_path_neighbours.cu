// CLEAN. The read-only path for some words of an array, writes to others.
//@ launch: look<<<1, 64>>>(data: u32[64], out: u32[64])
#include "../support.h"

__global__ void look(unsigned* data, unsigned* out) {
    if (threadIdx.x % 2) {
        weak_store(&data[threadIdx.x], 1);
    } else {
        out[threadIdx.x] = __ldg(&data[threadIdx.x]);
    }
}
