// CLEAN. A reader that waits for the last version, with acquire, may read ordinary data: no writer comes after it.
//@ launch: versions<<<3, 1>>>(version: u32[1], pair: u32[2], out: u32[2])
#include "support/ptx.cuh"

__global__ void versions(unsigned* version, unsigned* pair, unsigned* out) {
    if (blockIdx.x == 0) {
        for (unsigned round = 1; round <= 3; ++round) {
            store_relaxed(version, 2 * round - 1);
            __threadfence();
            pair[0] = round;
            pair[1] = round;
            store_release(version, 2 * round);
        }
    } else {
        while (load_acquire(version) != 6) {
        }
        out[blockIdx.x - 1] = pair[0] + pair[1];
    }
}
