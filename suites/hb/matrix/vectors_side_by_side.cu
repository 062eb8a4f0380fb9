// CLEAN. Vectors of 16 bytes that do not overlap, and the words of the next one.
//@ launch: mix<<<1, 64>>>(words: u32[288])
#include "../support.h"

__global__ void mix(unsigned* words) {
    if (threadIdx.x < 32) {
        *(uint4*)(words + 8 * threadIdx.x) = make_uint4(1, 2, 3, 4);
    } else {
        weak_store(words + 8 * (threadIdx.x - 32) + 4, 5);
        weak_store(words + 8 * (threadIdx.x - 32) + 7, 5);
    }
}
