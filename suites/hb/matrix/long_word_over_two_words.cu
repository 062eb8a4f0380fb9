// RACY. 8 bytes against the second of the two words that they cover.
//@ launch: mix<<<2, 1>>>(words: u64[1], out: u32[1])
#include "../support.h"

__global__ void mix(unsigned long long* words, unsigned* out) {
    if (blockIdx.x == 0) {
        asm volatile("st.u64 [%0], %1;" ::"l"(words), "l"(5ull) : "memory");
    } else {
        out[0] = weak_load((unsigned*)words + 1);  //~ race: missing-sync error (with line 7)
    }
}
