// CLEAN. Readers count themselves in one word, a writer needs it to be zero. Chains of read-modify-writes carry every release.
//@ launch: share<<<4, 1>>>(state: u32[1], pair: u32[2], wrong: u32[1])
#include "support/ptx.cuh"

__global__ void share(unsigned* state, unsigned* pair, unsigned* wrong) {
    const unsigned WRITER = 0x80000000u;
    if (blockIdx.x < 2) {
        while (atomicCAS(state, 0u, WRITER) != 0u) {
        }
        __threadfence();
        pair[0] += blockIdx.x + 1;
        pair[1] += blockIdx.x + 1;
        __threadfence();
        atomicSub(state, WRITER);
    } else {
        unsigned old = load_relaxed(state);
        while ((old & WRITER) != 0 || atomicCAS(state, old, old + 1) != old) {
            old = load_relaxed(state);
        }
        __threadfence();
        if (pair[0] != pair[1]) {
            atomicAdd(wrong, 1u);
        }
        __threadfence();
        atomicSub(state, 1u);
    }
}
