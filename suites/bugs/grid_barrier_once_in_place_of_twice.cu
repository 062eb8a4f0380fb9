// RACY. Grid barriers: cells are written again, and no barrier has waited until they were read.
//@ launch: grid_barrier_once_in_place_of_twice<<<2, 64, cooperative>>>(cells: u32[128], arrived: u32[1])
#include "support.h"

__global__ void grid_barrier_once_in_place_of_twice(unsigned* cells, unsigned* arrived) {
    unsigned place = blockIdx.x * 64 + threadIdx.x;
    weak_store(cells + place, place);
    __syncthreads();
    if (threadIdx.x == 0) {
        __threadfence();
        atomicAdd(arrived, 1u);
        __threadfence();
        while (strong_load(relaxed, gpu, arrived) != gridDim.x) {
        }
        __threadfence();
    }
    __syncthreads();
    unsigned other = weak_load(cells + 127 - place);
    weak_store(cells + place, other);  //~ [barracuda, curd] race: missing-sync (with line 18) by barracuda WRITEEXCL  //~ [hb] race: missing-sync error (with line 18) by hb "no ordering at all"
}
