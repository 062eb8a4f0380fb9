// RACY. "Unordered writes that all store the same bytes: else error": two warps, one lane of each.
//@ launch: mark<<<1, 64>>>(flag: u32[1])
#include "../support.h"

__global__ void mark(unsigned* flag) {
    if (threadIdx.x % 32 == 0) {
        weak_store(flag, 1);  //~ race: same-value warning (with itself)
    }
}
