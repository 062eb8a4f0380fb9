// RACY. One of the two is weak: never morally strong, whatever the other one's scope.
//@ launch: count<<<1, 64>>>(counter: u32[1])
#include "../support.h"

__global__ void count(unsigned* counter) {
    if (threadIdx.x == 0) {
        weak_store(counter, 100);
    } else if (threadIdx.x == 32) {
        atom_add(relaxed, sys, counter, 1);  //~ race: missing-sync error (with line 7)
    }
}
