// CLEAN. The counter itself is acq_rel; no fence is needed.
//@ launch: reduce<<<4, 1>>>(sums: u32[4], counter: u32[1], total: u32[1])
#include "support/ptx.cuh"

__global__ void reduce(unsigned* sums, unsigned* counter, unsigned* total) {
    sums[blockIdx.x] = blockIdx.x + 1;
    if (add_acquire_release(counter, 1) == 3) {
        *total = sums[0] + sums[1] + sums[2] + sums[3];
    }
}
