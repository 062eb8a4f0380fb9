// RACY. Counting blocks: the fences around the counter are of the block.
//@ launch: grid_last_block_block_fences<<<3, 1>>>(sums: u32[3], counter: u32[1], total: u32[1])
#include "support.h"

__global__ void grid_last_block_block_fences(unsigned* sums, unsigned* counter, unsigned* total) {
    weak_store(sums + blockIdx.x, blockIdx.x + 1);
    __threadfence_block();
    unsigned ticket = atomicAdd(counter, 1u);
    __threadfence_block();
    if (ticket == gridDim.x - 1) {
        unsigned sum = 0;
        for (unsigned block = 0; block < gridDim.x; ++block) {
            sum += weak_load(sums + block);  //~ [barracuda, curd] race: missing-sync (with line 6) by barracuda ACQRELBLK  //~ [hb] race: scope error (with line 6) by hb "synchronisation is there, its scope is too narrow"
        }
        weak_store(total, sum);
    }
}
