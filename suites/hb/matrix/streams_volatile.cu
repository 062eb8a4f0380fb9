// RACY. Volatile accesses of launches of two streams: nothing is wrong in PTX.
//@ launch: write<<<1, 1, stream=1>>>()
//@ launch: read<<<1, 1, stream=2>>>(out: u32[1])
#include "../support.h"

__device__ unsigned word;

__global__ void write() {
    volatile_store(&word, 1);
}

__global__ void read(unsigned* out) {
    out[0] = volatile_load(&word);  //~ race: volatile warning (with line 9)
}
