// CLEAN. Order is transitive: block 0 to block 1 by one flag, block 1 to block 2 by another.
//@ launch: relay<<<3, 1>>>(data: u32[1], flags: u32[2], out: u32[1])
#include "../support.h"

__global__ void relay(unsigned* data, unsigned* flags, unsigned* out) {
    if (blockIdx.x == 0) {
        weak_store(data, 1);
        strong_store(release, gpu, &flags[0], 1);
    } else if (blockIdx.x == 1) {
        while (strong_load(acquire, gpu, &flags[0]) == 0) {
        }
        strong_store(release, gpu, &flags[1], 1);
    } else {
        while (strong_load(acquire, gpu, &flags[1]) == 0) {
        }
        out[0] = weak_load(data);
    }
}
