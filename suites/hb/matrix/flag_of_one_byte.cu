// CLEAN. A flag can have any size, if both sides use it.
//@ launch: hand_over<<<2, 1>>>(data: u32[1], flag: u8[1], out: u32[1])
#include "../support.h"

__global__ void hand_over(unsigned* data, unsigned char* flag, unsigned* out) {
    if (blockIdx.x == 0) {
        weak_store(data, 1);
        strong_store_as(u8, release, gpu, flag, 1);
    } else {
        while (strong_load_as(u8, acquire, gpu, flag) == 0) {
        }
        out[0] = weak_load(data);
    }
}
