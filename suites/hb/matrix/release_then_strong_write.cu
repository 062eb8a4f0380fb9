// CLEAN. "A release operation followed by a strong write to the same M": two blocks, global memory.
//@ launch: hand_over<<<2, 1>>>(data: u32[1], flag: u32[1], out: u32[1])
#include "../support.h"

__global__ void hand_over(unsigned* data, unsigned* flag, unsigned* out) {
    if (blockIdx.x == 0) {
        weak_store(data, 1);
        strong_store(release, gpu, flag, 1);
        strong_store(relaxed, gpu, flag, 2);
    } else {
        while (strong_load(acquire, gpu, flag) != 2) {
        }
        out[0] = weak_load(data);
    }
}
