// RACY. Grid barriers: fences of the block.
//@ launch: grid_barrier_block_fences<<<2, 64, cooperative>>>(first: u32[128], second: u32[128], arrived: u32[1])
#include "support.h"

__global__ void grid_barrier_block_fences(unsigned* first, unsigned* second, unsigned* arrived) {
    unsigned place = blockIdx.x * 64 + threadIdx.x;
    weak_store(first + place, place);
    __syncthreads();
    if (threadIdx.x == 0) {
        __threadfence_block();
        atomicAdd(arrived, 1u);
        __threadfence_block();
        while (strong_load(relaxed, gpu, arrived) != gridDim.x) {
        }
        __threadfence_block();
    }
    __syncthreads();
    weak_store(second + place, weak_load(first + 127 - place));  //~ [barracuda, curd] race: missing-sync (with line 7) by barracuda ACQRELBLK  //~ [hb] race: scope error (with line 7) by hb "synchronisation is there, its scope is too narrow"
}
