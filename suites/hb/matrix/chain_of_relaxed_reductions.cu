// RACY. A relaxed red continues the chain of others and releases nothing of its own.
//@ launch: collect<<<3, 1>>>(data: u32[2], count: u32[1], out: u32[2])
#include "../support.h"

__global__ void collect(unsigned* data, unsigned* count, unsigned* out) {
    if (blockIdx.x < 2) {
        weak_store(&data[blockIdx.x], 1);
        red_add(relaxed, gpu, count, 1);
    } else {
        while (strong_load(acquire, gpu, count) != 2) {
        }
        out[0] = weak_load(&data[0]);  //~ race: missing-fence error (with line 7)
        out[1] = weak_load(&data[1]);  //~ race: missing-fence error (with line 7)
    }
}
