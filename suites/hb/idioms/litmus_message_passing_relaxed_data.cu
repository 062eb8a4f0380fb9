// CLEAN. Message passing with relaxed data and no fences: the reader may see the old value, but strong accesses do not race.
//@ launch: litmus<<<2, 1>>>(x: u32[1], y: u32[1], out: u32[2])
#include "support/ptx.cuh"

__global__ void litmus(unsigned* x, unsigned* y, unsigned* out) {
    if (blockIdx.x == 0) {
        store_relaxed(x, 1);
        store_relaxed(y, 1);
    } else {
        out[0] = load_relaxed(y);
        out[1] = load_relaxed(x);
    }
}
