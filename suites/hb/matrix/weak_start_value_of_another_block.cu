// RACY. One block stores the start value; the atomics of the other block do not wait for that.
//@ launch: count<<<2, 32>>>(counter: u32[1])
#include "../support.h"

__global__ void count(unsigned* counter) {
    if (blockIdx.x == 1) {
        atomicAdd(counter, 1);
    } else if (threadIdx.x == 0) {
        weak_store(counter, 5);  //~ race: missing-sync error (with line 7)
    }
}
