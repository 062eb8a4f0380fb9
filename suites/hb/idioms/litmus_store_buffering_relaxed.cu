// CLEAN. Store buffering with relaxed accesses and fence.sc between: no race, and not both read zero.
//@ launch: litmus<<<2, 1>>>(x: u32[1], y: u32[1], out: u32[2])
#include "support/ptx.cuh"

__global__ void litmus(unsigned* x, unsigned* y, unsigned* out) {
    unsigned* mine = blockIdx.x == 0 ? x : y;
    unsigned* other = blockIdx.x == 0 ? y : x;
    store_relaxed(mine, 1);
    asm volatile("fence.sc.gpu;" ::: "memory");
    out[blockIdx.x] = load_relaxed(other);
}
