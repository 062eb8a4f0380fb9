// RACY. "Unordered writes that all store the same bytes: info when one instruction of one warp".
//@ launch: mark<<<1, 32>>>(flag: u32[1])
#include "../support.h"

__global__ void mark(unsigned* flag) {
    weak_store(flag, 1);  //~ race: same-value info (with itself)
}
