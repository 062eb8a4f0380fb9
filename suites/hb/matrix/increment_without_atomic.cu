// RACY. A counter that all threads of two warps increment with a load and a store: all pairs race.
//@ launch: count<<<1, 64>>>(counter: u32[1])
#include "../support.h"

__global__ void count(unsigned* counter) {
    if (threadIdx.x % 32 == 0) {
        unsigned old = weak_load(counter);  //~ race: missing-sync error (with line 8)
        weak_store(counter, old + 1 + threadIdx.x);  //~ race: missing-sync error (with itself)
    }
}
