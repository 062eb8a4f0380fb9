// CLEAN. Strong accesses to the two halves of a word do not overlap.
//@ launch: mix<<<2, 1>>>(word: u32[1])
#include "../support.h"

__global__ void mix(unsigned* word) {
    strong_store_as(u16, relaxed, gpu, (char*)word + 2 * blockIdx.x, 1);
}
