// CLEAN. Volatile loads of a word that nobody writes.
//@ launch: look<<<2, 64>>>(word: u32[1] = 7, out: u32[128])
#include "../support.h"

__global__ void look(unsigned* word, unsigned* out) {
    out[blockIdx.x * 64 + threadIdx.x] = volatile_load(word);
}
