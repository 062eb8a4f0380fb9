// RACY. A queue lock of two blocks, always handed over from the first to the second, by a relaxed store.
//@ launch: add<<<2, 1>>>(queued: u32[1], ready: u32[1], total: u32[1])
#include "support/ptx.cuh"

__global__ void add(unsigned* queued, unsigned* ready, unsigned* total) {
    if (blockIdx.x == 0) {
        while (load_acquire(queued) == 0) {
        }
        *total = *total + 1;
        store_relaxed(ready, 1);
    } else {
        store_release(queued, 1);
        while (load_acquire(ready) == 0) {
        }
        *total = *total + 2;  //~ race: missing-fence (with line 9)
    }
}
