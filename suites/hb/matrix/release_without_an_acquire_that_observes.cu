// RACY. Release and acquire are there, and the acquire does not wait until it observes the release.
//@ launch: hand_over<<<1, 64>>>(data: u32[1], flag: u32[1], out: u32[2])
#include "../support.h"

__global__ void hand_over(unsigned* data, unsigned* flag, unsigned* out) {
    if (threadIdx.x == 32) {
        out[1] = strong_load(acquire, cta, flag);
        barrier_arrive(1, 64);
        out[0] = weak_load(data);
    } else if (threadIdx.x > 32) {
        barrier_arrive(1, 64);
    } else {
        barrier_sync(1, 64);
        if (threadIdx.x == 0) {
            weak_store(data, 1);  //~ race: missing-sync error (with line 9)
            strong_store(release, cta, flag, 1);
        }
    }
}
