// RACY. The producer gives its permit by a relaxed addition.
//@ launch: permits<<<2, 1>>>(count: u32[1], items: u32[1], out: u32[1])
#include "support/ptx.cuh"

__global__ void permits(unsigned* count, unsigned* items, unsigned* out) {
    if (blockIdx.x == 0) {
        *items = 20;
        atomicAdd(count, 1u);
    } else {
        while (load_acquire(count) == 0) {
        }
        *out = *items;  //~ race: missing-fence (with line 7)
    }
}
