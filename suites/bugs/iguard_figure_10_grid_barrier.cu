// RACY. Figure 10 of iGUARD: a barrier of the grid that has a fence before the counter and none after the wait.
//@ launch: iguard_figure_10_grid_barrier<<<2, 64, cooperative>>>(first: u32[128], second: u32[128], arrived: u32[1])
#include "support.h"

__device__ void sync_grid(unsigned blocks, unsigned* arrived) {
    __syncthreads();
    if (threadIdx.x == 0) {
        __threadfence();
        atomicAdd(arrived, 1u);
        while (volatile_load(arrived) != blocks) {  //~ [hb] race: volatile warning (with line 9) by hb "races in CUDA C++ but not in PTX"
        }
    }
    __syncthreads();
}

__global__ void iguard_figure_10_grid_barrier(unsigned* first, unsigned* second, unsigned* arrived) {
    unsigned place = blockIdx.x * 64 + threadIdx.x;
    weak_store(first + place, place);
    sync_grid(gridDim.x, arrived);
    weak_store(second + place, weak_load(first + 127 - place));  //~ [barracuda, curd] race: missing-sync (with line 18) by barracuda READEXCL  //~ [hb] race: missing-fence error (with line 18) by hb "a flag or chain was observed, its fence, acquire or RMW is missing"
}
