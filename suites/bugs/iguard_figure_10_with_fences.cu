// CLEAN. Figure 10 of iGUARD: the same with the fences that make a release and an acquire of it.
//@ launch: iguard_figure_10_with_fences<<<2, 64, cooperative>>>(first: u32[128], second: u32[128], arrived: u32[1])
#include "support.h"

__device__ void sync_grid(unsigned blocks, unsigned* arrived) {
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0) {
        __threadfence();
        atomicAdd(arrived, 1u);
        __threadfence();
        while (strong_load(relaxed, gpu, arrived) != blocks) {
        }
        __threadfence();
    }
    __syncthreads();
}

__global__ void iguard_figure_10_with_fences(unsigned* first, unsigned* second, unsigned* arrived) {
    unsigned place = blockIdx.x * 64 + threadIdx.x;
    weak_store(first + place, place);
    sync_grid(gridDim.x, arrived);
    weak_store(second + place, weak_load(first + 127 - place));  //~ [barracuda, curd] clean by barracuda ACQGLOBAL  //~ [hb] clean by hb "a grid barrier works only because of RMW chains plus cumulativity of bar.sync"
}
