// CLEAN. A red is a link of the chain, and its release counts.
//@ launch: collect<<<5, 1>>>(data: u32[4], count: u32[1], out: u32[4])
#include "../support.h"

__global__ void collect(unsigned* data, unsigned* count, unsigned* out) {
    if (blockIdx.x < 4) {
        weak_store(&data[blockIdx.x], 1);
        fence(acq_rel, gpu);
        red_add(relaxed, gpu, count, 1);
    } else {
        while (strong_load(acquire, gpu, count) != 4) {
        }
        for (int i = 0; i < 4; i++) {
            out[i] = weak_load(&data[i]);
        }
    }
}
