// RACY. An acquire covers what comes after it, not what comes before.
//@ launch: hand_over<<<2, 1>>>(data: u32[1], flag: u32[1], out: u32[2])
#include "../support.h"

__global__ void hand_over(unsigned* data, unsigned* flag, unsigned* out) {
    if (blockIdx.x == 0) {
        weak_store(data, 1);
        strong_store(release, gpu, flag, 1);
    } else {
        out[0] = weak_load(data);  //~ race: missing-sync error (with line 7)
        while (strong_load(acquire, gpu, flag) == 0) {
        }
        out[1] = weak_load(data);
    }
}
