// CLEAN. The last step is within one block, where block scope is enough: order is cumulative.
//@ launch: relay<<<2, 64>>>(data: u32[1], flags: u32[2], out: u32[1])
#include "../support.h"

__global__ void relay(unsigned* data, unsigned* flags, unsigned* out) {
    if (blockIdx.x == 0) {
        if (threadIdx.x == 0) {
            weak_store(data, 1);
            strong_store(release, gpu, &flags[0], 1);
        }
    } else if (threadIdx.x == 0) {
        while (strong_load(acquire, gpu, &flags[0]) == 0) {
        }
        strong_store(release, cta, &flags[1], 1);
    } else if (threadIdx.x == 32) {
        while (strong_load(acquire, cta, &flags[1]) == 0) {
        }
        out[0] = weak_load(data);
    }
}
