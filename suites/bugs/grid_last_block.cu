// CLEAN. Counting blocks: the last one to count sums up what all have written; the counter stands between fences.
//@ launch: grid_last_block<<<3, 1>>>(sums: u32[3], counter: u32[1], total: u32[1])
#include "support.h"

__global__ void grid_last_block(unsigned* sums, unsigned* counter, unsigned* total) {
    weak_store(sums + blockIdx.x, blockIdx.x + 1);
    __threadfence();
    unsigned ticket = atomicAdd(counter, 1u);
    __threadfence();
    if (ticket == gridDim.x - 1) {
        unsigned sum = 0;
        for (unsigned block = 0; block < gridDim.x; ++block) {
            sum += weak_load(sums + block);  //~ [barracuda, curd] clean by barracuda ACQGLOBAL  //~ [hb] clean by hb "through a chain of atomic read-modify-writes"
        }
        weak_store(total, sum);
    }
}
