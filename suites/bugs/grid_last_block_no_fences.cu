// RACY. Counting blocks: the last one to count knows that all have counted, not that all have written.
//@ launch: grid_last_block_no_fences<<<3, 1>>>(sums: u32[3], counter: u32[1], total: u32[1])
#include "support.h"

__global__ void grid_last_block_no_fences(unsigned* sums, unsigned* counter, unsigned* total) {
    weak_store(sums + blockIdx.x, blockIdx.x + 1);
    unsigned ticket = atomicAdd(counter, 1u);
    if (ticket == gridDim.x - 1) {
        unsigned sum = 0;
        for (unsigned block = 0; block < gridDim.x; ++block) {
            sum += weak_load(sums + block);  //~ [barracuda, curd] race: missing-sync (with line 6) by barracuda ATOMEXCL  //~ [hb] race: missing-fence error (with line 6) by hb "a flag or chain was observed, its fence, acquire or RMW is missing"
        }
        weak_store(total, sum);
    }
}
