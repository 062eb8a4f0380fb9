// RACY. One block stores the start value and then adds, as the other does. That the other may see such an addition first is no
// hand-off: the counter is no flag for its own start value, and with fences the other block could still come first.
//@ launch: count<<<2, 32>>>(counter: u32[1])
#include "../support.h"

__global__ void count(unsigned* counter) {
    if (blockIdx.x == 0 && threadIdx.x == 0) {
        weak_store(counter, 5);
    }
    __syncthreads();
    atomicAdd(counter, 1);  //~ race: missing-sync error (with line 8)
}
