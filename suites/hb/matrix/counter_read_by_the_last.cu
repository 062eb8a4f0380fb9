// CLEAN. The atomic of the last one has observed those of all others: it may read the counter weakly.
//@ launch: count<<<4, 1>>>(counter: u32[1], out: u32[1])
#include "../support.h"

__global__ void count(unsigned* counter, unsigned* out) {
    if (atom_add(relaxed, gpu, counter, 1) == 3) {
        out[0] = weak_load(counter);
    }
}
