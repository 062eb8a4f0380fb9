// R4, figure 10 of the paper: only the leader of each block executes the fence, so the other threads' data are not
// published; and the counter is polled by loads. In the PTX memory model the leader's fence covers what the block
// barrier ordered before it.
//@ launch: steps<<<2, 64, cooperative>>>(first: u32[128], second: u32[128], arrived: u32[1])
#include "support.h"

__device__ void sync_grid(unsigned blocks, unsigned* arrived) {
    __syncthreads();
    if (threadIdx.x == 0) {
        fence(acq_rel, gpu);
        atom_add(relaxed, gpu, arrived, 1);
        while (strong_load(acquire, gpu, arrived) != blocks) {  //~ [iguard] race: missing-sync error (with line 11)
        }
    }
    __syncthreads();
}

__global__ void steps(unsigned* first, unsigned* second, unsigned* arrived) {
    unsigned number = blockIdx.x * 64 + threadIdx.x;
    weak_store(first + number, number);
    sync_grid(2, arrived);
    weak_store(second + number, weak_load(first + 127 - number));  //~ [iguard] race: missing-sync error (with line 20)
}
