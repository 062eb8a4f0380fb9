// CLEAN. Paths of a warp that store the same bytes one after the other: __syncwarp() stands between.
//@ launch: mark<<<1, 32>>>(word: u32[1], in: u32[1])
#include "../support.h"

__global__ void mark(unsigned* word, unsigned* in) {
    if (threadIdx.x == 3) {
        weak_store(word, 0);
    }
    __syncwarp();
    if (threadIdx.x == 7) {
        weak_store(word, weak_load(in));
    }
}
