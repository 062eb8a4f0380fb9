// RACY. "Partially overlapping strong accesses race": 4 bytes in 8, within one block.
//@ launch: mix<<<1, 64>>>(words: u64[1], out: u32[1])
#include "../support.h"

__global__ void mix(unsigned long long* words, unsigned* out) {
    if (threadIdx.x == 0) {
        strong_store_u64(relaxed, gpu, words, 1);
    } else if (threadIdx.x == 32) {
        out[0] = strong_load(relaxed, gpu, (unsigned*)words);  //~ race: mixed-size error (with line 7)
    }
}
