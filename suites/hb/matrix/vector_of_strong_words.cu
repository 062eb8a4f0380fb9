// CLEAN. "Vector accesses are a set of scalar accesses": each word of a strong vector is a strong word.
//@ launch: mix<<<2, 1>>>(words: u32[2], out: u32[2])
#include "../support.h"

__global__ void mix(unsigned* words, unsigned* out) {
    if (blockIdx.x == 0) {
        strong_store(relaxed, gpu, &words[0], 1);
        strong_store(relaxed, gpu, &words[1], 2);
    } else {
        unsigned a, b;
        asm volatile("ld.relaxed.gpu.v2.u32 {%0, %1}, [%2];" : "=r"(a), "=r"(b) : "l"(words) : "memory");
        out[0] = a;
        out[1] = b;
    }
}
