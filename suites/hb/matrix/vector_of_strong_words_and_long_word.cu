// RACY. A strong vector of two words against one strong access of 8 bytes: the ranges differ.
//@ launch: mix<<<2, 1>>>(words: u64[1], out: u32[2])
#include "../support.h"

__global__ void mix(unsigned long long* words, unsigned* out) {
    if (blockIdx.x == 0) {
        strong_store_u64(relaxed, gpu, words, 1);  //~ race: mixed-size error (with line 10)
    } else {
        unsigned a, b;
        asm volatile("ld.relaxed.gpu.v2.u32 {%0, %1}, [%2];" : "=r"(a), "=r"(b) : "l"(words) : "memory");
        out[0] = a;
        out[1] = b;
    }
}
