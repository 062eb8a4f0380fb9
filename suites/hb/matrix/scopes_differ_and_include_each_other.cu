// CLEAN. Morally strong: block, device and system scope within one block include each other.
//@ launch: count<<<1, 128>>>(counter: u32[1])
#include "../support.h"

__global__ void count(unsigned* counter) {
    switch (threadIdx.x / 32) {
        case 0: atom_add(relaxed, cta, counter, 1); break;
        case 1: atom_add(relaxed, cluster, counter, 1); break;
        case 2: atom_add(relaxed, gpu, counter, 1); break;
        default: atom_add(relaxed, sys, counter, 1);
    }
}
