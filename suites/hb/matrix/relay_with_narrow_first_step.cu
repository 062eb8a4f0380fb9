// RACY. The first step is between blocks and has block scope; the last one is wide enough.
//@ launch: relay<<<2, 64>>>(data: u32[1], flags: u32[2], out: u32[1])
#include "../support.h"

__global__ void relay(unsigned* data, unsigned* flags, unsigned* out) {
    if (blockIdx.x == 0) {
        if (threadIdx.x == 0) {
            weak_store(data, 1);
            fence(acq_rel, cta);
            strong_store(relaxed, gpu, &flags[0], 1);
        }
    } else if (threadIdx.x == 0) {
        while (strong_load(acquire, gpu, &flags[0]) == 0) {
        }
        strong_store(release, gpu, &flags[1], 1);
    } else if (threadIdx.x == 32) {
        while (strong_load(acquire, gpu, &flags[1]) == 0) {
        }
        out[0] = weak_load(data);  //~ race: scope error (with line 8)
    }
}
