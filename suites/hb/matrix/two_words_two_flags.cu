// CLEAN. Each of two words has its own flag and its own reader.
//@ launch: hand_over<<<3, 1>>>(data: u32[2], flags: u32[2], out: u32[2])
#include "../support.h"

__global__ void hand_over(unsigned* data, unsigned* flags, unsigned* out) {
    if (blockIdx.x == 0) {
        weak_store(&data[0], 1);
        strong_store(release, gpu, &flags[0], 1);
        weak_store(&data[1], 2);
        strong_store(release, gpu, &flags[1], 1);
    } else {
        unsigned which = blockIdx.x - 1;
        while (strong_load(acquire, gpu, &flags[which]) == 0) {
        }
        out[which] = weak_load(&data[which]);
    }
}
