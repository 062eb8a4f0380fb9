// RACY. Lanes of one store that write different values to one word.
//@ launch: mark<<<1, 32>>>(word: u32[1])
#include "../support.h"

__global__ void mark(unsigned* word) {
    weak_store(word, threadIdx.x);  //~ race: missing-sync error (with itself)
}
