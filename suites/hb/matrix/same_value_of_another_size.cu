// RACY. A byte and a word of the same value: not the same bytes, so a plain race.
//@ launch: mark<<<2, 1>>>(flag: u32[1])
#include "../support.h"

__global__ void mark(unsigned* flag) {
    if (blockIdx.x == 0) {
        weak_store(flag, 1);
    } else {
        weak_store_as(u8, flag, 1);  //~ race: missing-sync error (with line 7)
    }
}
