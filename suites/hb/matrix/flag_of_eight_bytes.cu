// CLEAN. A flag of 8 bytes.
//@ launch: hand_over<<<2, 1>>>(data: u32[1], flag: u64[1], out: u32[1])
#include "../support.h"

__global__ void hand_over(unsigned* data, unsigned long long* flag, unsigned* out) {
    if (blockIdx.x == 0) {
        weak_store(data, 1);
        strong_store_u64(release, gpu, flag, 1ull << 40);
    } else {
        while (strong_load_u64(acquire, gpu, flag) == 0) {
        }
        out[0] = weak_load(data);
    }
}
