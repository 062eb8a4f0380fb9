// RACY. "The first of this list is given": lanes of one warp that store the same bytes at two instructions are same-value
// before warp-sync.
//@ launch: mark<<<1, 32>>>(word: u32[32])
#include "../support.h"

__global__ void mark(unsigned* word) {
    weak_store(&word[threadIdx.x], 1);
    weak_store(&word[threadIdx.x ^ 1], 1);  //~ race: same-value warning (with line 7)
}
