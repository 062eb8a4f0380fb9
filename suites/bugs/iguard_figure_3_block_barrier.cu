// RACY. Figure 3 of iGUARD: a barrier of the block where one of the grid is needed.
//@ launch: iguard_figure_3_block_barrier<<<3, 64>>>(in: u32[192], out: u32[3])
#include <cooperative_groups.h>
#include "support.h"

namespace cg = cooperative_groups;

__device__ void reduce_block(unsigned* in, unsigned* out, cg::thread_block& block) {
    __shared__ unsigned sum;
    if (block.thread_rank() == 0) {
        sum = 0;
    }
    cg::sync(block);
    atomicAdd(&sum, weak_load(in + blockIdx.x * 64 + threadIdx.x));
    cg::sync(block);
    if (block.thread_rank() == 0) {
        weak_store(out + blockIdx.x, sum);
    }
}

__global__ void iguard_figure_3_block_barrier(unsigned* in, unsigned* out) {
    cg::thread_block block = cg::this_thread_block();
    reduce_block(in, out, block);
    cg::sync(block);
    if (blockIdx.x == 0 && threadIdx.x == 0) {
        for (unsigned other = 1; other < gridDim.x; other++) {
            weak_store(out, weak_load(out) + weak_load(out + other));  //~ [barracuda, curd] race: missing-sync (with line 17) by barracuda BAR  //~ [hb] race: missing-sync error (with line 17) by hb "among their participants"
        }
    }
}
