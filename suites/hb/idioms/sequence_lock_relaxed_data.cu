// CLEAN. A sequence lock: the data is read while it may change, by relaxed loads, which do not race with relaxed stores.
//@ launch: versions<<<3, 1>>>(version: u32[1], pair: u32[2], wrong: u32[1])
#include "support/ptx.cuh"

__global__ void versions(unsigned* version, unsigned* pair, unsigned* wrong) {
    if (blockIdx.x == 0) {
        for (unsigned round = 1; round <= 3; ++round) {
            store_relaxed(version, 2 * round - 1);
            __threadfence();
            store_relaxed(pair, round);
            store_relaxed(pair + 1, round);
            __threadfence();
            store_relaxed(version, 2 * round);
        }
    } else {
        unsigned before, after, first, second;
        do {
            before = load_acquire(version);
            first = load_relaxed(pair);
            second = load_relaxed(pair + 1);
            __threadfence();
            after = load_relaxed(version);
        } while (before != after || before % 2 == 1);
        if (first != second) {
            atomicAdd(wrong, 1u);
        }
    }
}
