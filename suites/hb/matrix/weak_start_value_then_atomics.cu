// CLEAN. One thread stores the start value, and a barrier separates it from the atomics.
//@ launch: count<<<1, 64>>>(counter: u32[1])
#include "../support.h"

__global__ void count(unsigned* counter) {
    if (threadIdx.x == 0) {
        weak_store(counter, 5);
    }
    __syncthreads();
    atomicAdd(counter, 1);
}
