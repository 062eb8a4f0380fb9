// CLEAN. "Observation: that write is ordered before every access to the same address that follows the read".
//@ launch: hand_over<<<2, 1>>>(flag: u32[1], out: u32[1])
#include "../support.h"

__global__ void hand_over(unsigned* flag, unsigned* out) {
    if (blockIdx.x == 0) {
        strong_store(relaxed, gpu, flag, 1);
    } else {
        while (strong_load(relaxed, gpu, flag) == 0) {
        }
        out[0] = weak_load(flag);
    }
}
