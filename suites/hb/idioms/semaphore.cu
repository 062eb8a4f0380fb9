// CLEAN. A counting semaphore: the consumer takes permits that the producer gives with release.
//@ launch: permits<<<2, 1>>>(count: u32[1], items: u32[4], out: u32[4])
#include "support/ptx.cuh"

__global__ void permits(unsigned* count, unsigned* items, unsigned* out) {
    for (unsigned i = 0; i < 4; ++i) {
        if (blockIdx.x == 0) {
            items[i] = i + 20;
            add_acquire_release(count, 1);
        } else {
            unsigned seen = load_relaxed(count);
            while (seen == 0 || compare_and_swap_acquire(count, seen, seen - 1) != seen) {
                seen = load_relaxed(count);
            }
            out[i] = items[i];
        }
    }
}
