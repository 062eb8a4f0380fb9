// RACY. "A strong read of M followed by a fence": it comes too early: two blocks, global memory.
//@ launch: hand_over<<<2, 1>>>(data: u32[1], flag: u32[1], out: u32[1])
#include "../support.h"

__global__ void hand_over(unsigned* data, unsigned* flag, unsigned* out) {
    if (blockIdx.x == 0) {
        weak_store(data, 1);
        fence(acq_rel, gpu);
        strong_store(relaxed, gpu, flag, 1);
    } else {
        fence(acq_rel, gpu);
        while (strong_load(relaxed, gpu, flag) == 0) {
        }
        out[0] = weak_load(data);  //~ race: missing-fence error (with line 7)
    }
}
