// CLEAN. The lock is polled with relaxed loads; only the compare-and-swap that takes it acquires.
//@ launch: add<<<4, 1>>>(lock: u32[1], total: u32[1])
#include "support/ptx.cuh"

__global__ void add(unsigned* lock, unsigned* total) {
    do {
        while (load_relaxed(lock) != 0) {
        }
    } while (compare_and_swap_acquire(lock, 0, 1) != 0);
    *total = *total + blockIdx.x + 1;
    store_release(lock, 0);
}
