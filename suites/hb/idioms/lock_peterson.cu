// CLEAN. Peterson's lock: who enters second has observed the release of the first.
//@ launch: add<<<2, 1>>>(wants: u32[2], turn: u32[1], total: u32[1])
#include "support/ptx.cuh"

__global__ void add(unsigned* wants, unsigned* turn, unsigned* total) {
    unsigned me = blockIdx.x, other = 1 - me;
    store_relaxed(wants + me, 1);
    atomicExch(turn, other);
    asm volatile("fence.sc.gpu;" ::: "memory");
    while (load_acquire(wants + other) == 1 && load_acquire(turn) == other) {
    }
    __threadfence();
    *total = *total + me + 1;
    store_release(wants + me, 0);
}
