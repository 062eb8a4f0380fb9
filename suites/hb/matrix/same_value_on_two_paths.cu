// RACY. "Different paths of a warp that store the same bytes are same-value, not divergence."
//@ launch: mark<<<1, 32>>>(word: u32[1], in: u32[1])
#include "../support.h"

__global__ void mark(unsigned* word, unsigned* in) {
    if (threadIdx.x == 3) {
        weak_store(word, 0);
    } else if (threadIdx.x == 7) {
        weak_store(word, weak_load(in));  //~ race: same-value warning (with line 7)
    }
}
