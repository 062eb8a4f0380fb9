// CLEAN. Grid barriers: two in a row, by one counter that goes on counting.
//@ launch: grid_barrier_twice<<<2, 64, cooperative>>>(cells: u32[128], arrived: u32[1])
#include "support.h"

__device__ void sync_grid(unsigned* arrived, unsigned wanted) {
    __syncthreads();
    if (threadIdx.x == 0) {
        __threadfence();
        atomicAdd(arrived, 1u);
        __threadfence();
        while (strong_load(relaxed, gpu, arrived) < wanted) {
        }
        __threadfence();
    }
    __syncthreads();
}

__global__ void grid_barrier_twice(unsigned* cells, unsigned* arrived) {
    unsigned place = blockIdx.x * 64 + threadIdx.x;
    weak_store(cells + place, place);
    sync_grid(arrived, gridDim.x);
    unsigned other = weak_load(cells + 127 - place);
    sync_grid(arrived, 2 * gridDim.x);
    weak_store(cells + place, other);  //~ [barracuda, curd] clean by barracuda ACQGLOBAL  //~ [hb] clean by hb "a grid barrier works only because of RMW chains plus cumulativity of bar.sync"
}
