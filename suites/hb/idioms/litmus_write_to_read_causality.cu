// CLEAN. Write-to-read causality: the second block observes the first and releases, the third acquires and reads weakly.
//@ launch: litmus<<<3, 1>>>(x: u32[1], y: u32[1], out: u32[1])
#include "support/ptx.cuh"

__global__ void litmus(unsigned* x, unsigned* y, unsigned* out) {
    if (blockIdx.x == 0) {
        store_relaxed(x, 1);
    } else if (blockIdx.x == 1) {
        while (load_relaxed(x) == 0) {
        }
        store_release(y, 1);
    } else {
        while (load_acquire(y) == 0) {
        }
        *out = *x;
    }
}
