// CLEAN. Grid barriers: every block counts itself and waits for all; fences of the device around the counter and after the wait.
//@ launch: grid_barrier<<<2, 64, cooperative>>>(first: u32[128], second: u32[128], arrived: u32[1])
#include "support.h"

__global__ void grid_barrier(unsigned* first, unsigned* second, unsigned* arrived) {
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
    __syncthreads();
    weak_store(second + place, weak_load(first + 127 - place));  //~ [barracuda, curd] clean by barracuda ACQGLOBAL  //~ [hb] clean by hb "a grid barrier works only because of RMW chains plus cumulativity of bar.sync"
}
