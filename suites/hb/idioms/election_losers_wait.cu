// CLEAN. The winner initialises and publishes with release, the losers wait with acquire (call once).
//@ launch: elect<<<4, 1>>>(turn: u32[1], ready: u32[1], chosen: u32[1], out: u32[4])
#include "support/ptx.cuh"

__global__ void elect(unsigned* turn, unsigned* ready, unsigned* chosen, unsigned* out) {
    if (atomicInc(turn, 100u) == 0) {
        *chosen = 77;
        store_release(ready, 1);
    }
    while (load_acquire(ready) == 0) {
    }
    out[blockIdx.x] = *chosen;
}
