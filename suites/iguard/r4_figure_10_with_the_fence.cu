// Figure 10 of the paper with the fence that is commented out there: the data are published by every thread. The counter
// is now updated where it is polled, so that P6 fits.
//@ launch: steps<<<2, 64, cooperative>>>(first: u32[128], second: u32[128], arrived: u32[1])
#include "support.h"

__device__ void sync_grid(unsigned blocks, unsigned* arrived) {
    fence(acq_rel, gpu);
    __syncthreads();
    if (threadIdx.x == 0) {
        fence(acq_rel, gpu);
        tell(arrived);
        wait_for(arrived, blocks);
        fence(acq_rel, gpu);
    }
    __syncthreads();
}

__global__ void steps(unsigned* first, unsigned* second, unsigned* arrived) {
    unsigned number = blockIdx.x * 64 + threadIdx.x;
    weak_store(first + number, number);
    sync_grid(2, arrived);
    weak_store(second + number, weak_load(first + 127 - number));
}
