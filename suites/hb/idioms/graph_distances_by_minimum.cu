// CLEAN. Distances are lowered by atomicMin and read by atomics, until a fixed number of rounds is over.
//@ launch: relax<<<2, 32>>>(distance: u32[64] = 1000)
#include "support/ptx.cuh"

__global__ void relax(unsigned* distance) {
    unsigned vertex = blockIdx.x * 32 + threadIdx.x;
    if (vertex == 0) {
        atomicMin(distance, 0u);
    }
    for (int round = 0; round < 4; ++round) {
        unsigned mine = load_relaxed(distance + vertex);
        if (vertex + 1 < 64) {
            atomicMin(distance + vertex + 1, mine + 1);
        }
    }
}
