// RACY. A release covers what comes before it, not what comes after.
//@ launch: hand_over<<<2, 1>>>(data: u32[2], flag: u32[1], out: u32[2])
#include "../support.h"

__global__ void hand_over(unsigned* data, unsigned* flag, unsigned* out) {
    if (blockIdx.x == 0) {
        weak_store(&data[0], 1);
        strong_store(release, gpu, flag, 1);
        weak_store(&data[1], 2);
    } else {
        while (strong_load(acquire, gpu, flag) == 0) {
        }
        out[0] = weak_load(&data[0]);
        out[1] = weak_load(&data[1]);  //~ race: missing-sync error (with line 9)
    }
}
