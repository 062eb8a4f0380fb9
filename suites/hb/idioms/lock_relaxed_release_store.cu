// RACY. The lock is taken with acquire, but given back by a relaxed store: nothing releases the data.
//@ launch: add<<<2, 1>>>(lock: u32[1], total: u32[1])
#include "support/ptx.cuh"

__global__ void add(unsigned* lock, unsigned* total) {
    while (compare_and_swap_acquire(lock, 0, 1) != 0) {
    }
    *total = *total + blockIdx.x + 1;  //~ race: missing-fence (with itself)
    store_relaxed(lock, 0);
}
