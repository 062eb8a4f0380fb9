// RACY. Grid barriers: the other warp of a block does not wait for the thread that waits.
//@ launch: grid_barrier_no_barrier_after<<<2, 64, cooperative>>>(first: u32[128], second: u32[128], arrived: u32[1])
#include "support.h"

__global__ void grid_barrier_no_barrier_after(unsigned* first, unsigned* second, unsigned* arrived) {
    unsigned place = blockIdx.x * 64 + threadIdx.x;
    weak_store(first + place, place);
    __syncthreads();
    if (threadIdx.x == 0) {
        __threadfence();
        atomicAdd(arrived, 1u);
        __threadfence();
        while (strong_load(relaxed, gpu, arrived) != gridDim.x) {
        }
        __threadfence();
    }
    weak_store(second + place, weak_load(first + 127 - place));  //~ [barracuda, curd] race: missing-sync (with line 7) by barracuda ACQGLOBAL  //~ [hb] race: missing-sync error (with line 7) by hb "no ordering at all"
}
