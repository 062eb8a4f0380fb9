// CLEAN. A spin lock of an exchange that acquires and a store that releases; no fence is needed.
//@ launch: add<<<4, 1>>>(lock: u32[1], total: u32[1])
#include "support/ptx.cuh"

__global__ void add(unsigned* lock, unsigned* total) {
    while (exchange_acquire(lock, 1) != 0) {
    }
    *total = *total + blockIdx.x + 1;
    store_release(lock, 0);
}
