// CLEAN. "Observation": the reader of a relaxed flag may reset it with a weak store.
//@ launch: hand_over<<<1, 64>>>(flag: u32[1])
#include "../support.h"

__global__ void hand_over(unsigned* flag) {
    if (threadIdx.x == 0) {
        strong_store(relaxed, cta, flag, 1);
    } else if (threadIdx.x == 32) {
        while (strong_load(relaxed, cta, flag) == 0) {
        }
        weak_store(flag, 0);
    }
}
