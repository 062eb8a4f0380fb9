// RACY. "Observation (morally strong pair)": a flag of block scope is not observed by another block.
//@ launch: hand_over<<<2, 1>>>(flag: u32[1], out: u32[1])
#include "../support.h"

__global__ void hand_over(unsigned* flag, unsigned* out) {
    if (blockIdx.x == 0) {
        strong_store(relaxed, cta, flag, 1);
    } else {
        while (strong_load(relaxed, gpu, flag) == 0) {  //~ race: scope error (with line 7)
        }
    }
}
