// RACY. Grid barriers: atomics and block barriers without fences.
//@ launch: grid_barrier_no_fences<<<2, 64, cooperative>>>(first: u32[128], second: u32[128], arrived: u32[1])
#include "support.h"

__global__ void grid_barrier_no_fences(unsigned* first, unsigned* second, unsigned* arrived) {
    unsigned place = blockIdx.x * 64 + threadIdx.x;
    weak_store(first + place, place);
    __syncthreads();
    if (threadIdx.x == 0) {
        tell(arrived);
        wait_for(arrived, gridDim.x);
    }
    __syncthreads();
    weak_store(second + place, weak_load(first + 127 - place));  //~ [barracuda, curd] race: missing-sync (with line 7) by barracuda ATOMEXCL  //~ [hb] race: missing-fence error (with line 7) by hb "a flag or chain was observed, its fence, acquire or RMW is missing"
}
