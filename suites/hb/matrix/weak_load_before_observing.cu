// RACY. "Observation: accesses that follow the read": the weak load comes first.
//@ launch: hand_over<<<2, 1>>>(flag: u32[1], out: u32[1])
#include "../support.h"

__global__ void hand_over(unsigned* flag, unsigned* out) {
    if (blockIdx.x == 0) {
        strong_store(relaxed, gpu, flag, 1);
    } else {
        out[0] = weak_load(flag);  //~ race: missing-sync error (with line 7)
        while (strong_load(relaxed, gpu, flag) == 0) {
        }
    }
}
