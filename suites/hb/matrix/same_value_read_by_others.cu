// RACY. Writes of the same value are one thing; who reads the word unordered races all the same.
//@ launch: mark<<<1, 64>>>(flag: u32[1], out: u32[1])
#include "../support.h"

__global__ void mark(unsigned* flag, unsigned* out) {
    if (threadIdx.x == 0) {
        weak_store(flag, 1);
    } else if (threadIdx.x == 32) {
        out[0] = weak_load(flag);  //~ race: missing-sync error (with line 7)
    }
}
