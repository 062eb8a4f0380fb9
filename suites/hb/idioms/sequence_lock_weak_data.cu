// RACY. A sequence lock with ordinary data. Noticing afterwards that the version changed does not make the race undone. The
// reader says that it has read by a relaxed store, which is all that makes the second version come later.
//@ launch: versions<<<2, 1>>>(version: u32[1], looked: u32[1], data: u32[1], out: u32[1])
#include "support/ptx.cuh"

__global__ void versions(unsigned* version, unsigned* looked, unsigned* data, unsigned* out) {
    if (blockIdx.x == 0) {
        while (load_relaxed(looked) == 0) {
        }
        store_relaxed(version, 1);
        __threadfence();
        *data = 5;
        __threadfence();
        store_relaxed(version, 2);
    } else {
        unsigned before = load_acquire(version);
        unsigned value = *data;  //~ race: missing-fence (with line 12)
        store_relaxed(looked, 1);
        __threadfence();
        unsigned after = load_relaxed(version);
        *out = before == after ? value : 99;
    }
}
