// RACY. Morally strong: "each one's scope includes the other's thread"; one of two has block scope.
//@ launch: count<<<2, 1>>>(counter: u32[1])
#include "../support.h"

__global__ void count(unsigned* counter) {
    if (blockIdx.x == 0) {
        atom_add(relaxed, cta, counter, 1);
    } else {
        atom_add(relaxed, sys, counter, 1);  //~ race: scope error (with line 7)
    }
}
