// RACY. Two warps store the same value at two places of the program.
//@ launch: mark<<<1, 64>>>(flag: u32[1])
#include "../support.h"

__global__ void mark(unsigned* flag) {
    if (threadIdx.x == 0) {
        weak_store(flag, 1);
    } else if (threadIdx.x == 32) {
        weak_store(flag, 1);  //~ race: same-value warning (with line 7)
    }
}
