// CLEAN. Load buffering with relaxed accesses.
//@ launch: litmus<<<2, 1>>>(words: u32[2], out: u32[2])
#include "support/ptx.cuh"

__global__ void litmus(unsigned* words, unsigned* out) {
    out[blockIdx.x] = load_relaxed(words + blockIdx.x);
    store_relaxed(words + 1 - blockIdx.x, 1);
}
