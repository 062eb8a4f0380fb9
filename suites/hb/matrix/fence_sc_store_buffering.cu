// CLEAN. Two threads that announce themselves with relaxed stores and look at each other: no weak access.
//@ launch: announce<<<2, 1>>>(flags: u32[2], out: u32[2])
#include "../support.h"

__global__ void announce(unsigned* flags, unsigned* out) {
    strong_store(relaxed, gpu, &flags[blockIdx.x], 1);
    fence(sc, gpu);
    out[blockIdx.x] = strong_load(relaxed, gpu, &flags[1 - blockIdx.x]);
}
