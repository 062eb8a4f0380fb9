// RACY. Volatile data behind a volatile flag with its fences is ordered; what is left is the flag itself.
//@ launch: hand_over<<<2, 1>>>(data: u32[1], flag: u32[1], out: u32[1])
#include "../support.h"

__global__ void hand_over(unsigned* data, unsigned* flag, unsigned* out) {
    if (blockIdx.x == 0) {
        volatile_store(data, 1);
        __threadfence();
        volatile_store(flag, 1);
    } else {
        while (volatile_load(flag) == 0) {  //~ race: volatile warning (with line 9)
        }
        __threadfence();
        out[0] = volatile_load(data);
    }
}
