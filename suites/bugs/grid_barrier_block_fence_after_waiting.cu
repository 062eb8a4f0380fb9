// CLEAN. Grid barriers: the fence after the wait is of the block. Those of the device around the counter are enough for the thesis.
//@ launch: grid_barrier_block_fence_after_waiting<<<2, 64, cooperative>>>(first: u32[128], second: u32[128], arrived: u32[1])
#include "support.h"

__global__ void grid_barrier_block_fence_after_waiting(unsigned* first, unsigned* second, unsigned* arrived) {
    unsigned place = blockIdx.x * 64 + threadIdx.x;
    weak_store(first + place, place);
    __syncthreads();
    if (threadIdx.x == 0) {
        __threadfence();
        atomicAdd(arrived, 1u);
        __threadfence();
        while (strong_load(relaxed, gpu, arrived) != gridDim.x) {
        }
        __threadfence_block();
    }
    __syncthreads();
    weak_store(second + place, weak_load(first + 127 - place));  //~ [barracuda, curd] clean by barracuda RELGLOBAL  //~ [hb] race: scope error (with line 7) by hb "synchronisation is there, its scope is too narrow"
}
