// CLEAN. P6: atomics whose scope reaches both threads, with and without an answer.
//@ launch: count<<<4, 64>>>(counter: u32[2], out: u32[256])
#include "support.h"

__global__ void count(unsigned* counter, unsigned* out) {
    unsigned place = atom_add(relaxed, gpu, counter, 1);
    red_add(relaxed, gpu, counter + 1, place);
    weak_store(out + place, 1);
}
