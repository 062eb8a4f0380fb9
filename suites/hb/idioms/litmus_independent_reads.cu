// CLEAN. Two writers, two readers who read in opposite order with acquire.
//@ launch: litmus<<<4, 1>>>(words: u32[2], out: u32[4])
#include "support/ptx.cuh"

__global__ void litmus(unsigned* words, unsigned* out) {
    if (blockIdx.x < 2) {
        store_release(words + blockIdx.x, 1);
    } else {
        unsigned first = blockIdx.x - 2;
        out[2 * first] = load_acquire(words + first);
        out[2 * first + 1] = load_acquire(words + 1 - first);
    }
}
