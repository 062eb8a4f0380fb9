// RACY. The reader of the second word waits for the flag of the first.
//@ launch: hand_over<<<2, 1>>>(data: u32[2], flags: u32[2], out: u32[1])
#include "../support.h"

__global__ void hand_over(unsigned* data, unsigned* flags, unsigned* out) {
    if (blockIdx.x == 0) {
        weak_store(&data[0], 1);
        strong_store(release, gpu, &flags[0], 1);
        weak_store(&data[1], 2);
        strong_store(release, gpu, &flags[1], 1);
    } else {
        while (strong_load(acquire, gpu, &flags[0]) == 0) {
        }
        out[0] = weak_load(&data[1]);  //~ race: missing-sync error (with line 9)
    }
}
