// RACY. "Observation": the thread that reads weakly has not observed the flag, another one has.
//@ launch: hand_over<<<2, 64>>>(flag: u32[1], out: u32[1])
#include "../support.h"

__global__ void hand_over(unsigned* flag, unsigned* out) {
    if (blockIdx.x == 0) {
        if (threadIdx.x == 0) {
            strong_store(relaxed, gpu, flag, 1);
        }
    } else if (threadIdx.x == 0) {
        while (strong_load(relaxed, gpu, flag) == 0) {
        }
    } else if (threadIdx.x == 32) {
        out[0] = weak_load(flag);  //~ race: missing-sync error (with line 8)
    }
}
