// RACY. A read with another range observes nothing: a flag of 8 bytes, polled by its lower 4.
//@ launch: hand_over<<<2, 1>>>(data: u32[1], flag: u64[1], out: u32[1])
#include "../support.h"

__global__ void hand_over(unsigned* data, unsigned long long* flag, unsigned* out) {
    if (blockIdx.x == 0) {
        weak_store(data, 1);
        strong_store_u64(release, gpu, flag, 1);
    } else {
        while (strong_load(acquire, gpu, (unsigned*)flag) == 0) {  //~ race: mixed-size error (with line 8)
        }
        out[0] = weak_load(data);  //~ race: missing-sync error (with line 7)
    }
}
