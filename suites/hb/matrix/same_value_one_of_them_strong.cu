// RACY. A weak and a strong store of the same value.
//@ launch: mark<<<2, 1>>>(flag: u32[1])
#include "../support.h"

__global__ void mark(unsigned* flag) {
    if (blockIdx.x == 0) {
        weak_store(flag, 1);
    } else {
        strong_store(relaxed, gpu, flag, 1);  //~ race: same-value warning (with line 7)
    }
}
