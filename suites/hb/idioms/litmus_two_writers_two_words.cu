// CLEAN. 2+2W: two blocks write two words in opposite order, by relaxed stores.
//@ launch: litmus<<<2, 1>>>(words: u32[2])
#include "support/ptx.cuh"

__global__ void litmus(unsigned* words) {
    store_relaxed(words + blockIdx.x, 1);
    store_relaxed(words + 1 - blockIdx.x, 2);
}
