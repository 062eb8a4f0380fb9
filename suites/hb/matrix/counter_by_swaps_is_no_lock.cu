// RACY. "A counter is no lock": a sum by compare-and-swaps, and data that nothing orders.
//@ launch: add<<<2, 1>>>(sum: u32[1], data: u32[1])
#include "../support.h"

__global__ void add(unsigned* sum, unsigned* data) {
    for (int round = 0; round < 3; ++round) {
        unsigned before = strong_load(relaxed, gpu, &sum[0]), now;
        while ((now = atomicCAS(sum, before, before + 1)) != before) {
            before = now;
        }
    }
    weak_store(data, blockIdx.x);  //~ race: missing-sync error (with itself)
}
