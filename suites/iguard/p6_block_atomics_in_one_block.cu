// CLEAN. P6: atomics of block scope, all of one block.
//@ launch: count<<<2, 128>>>(counters: u32[2])
#include "support.h"

__global__ void count(unsigned* counters) {
    atom_add(relaxed, cta, counters + blockIdx.x, 1);
    red_add(relaxed, cta, counters + blockIdx.x, 2);
}
