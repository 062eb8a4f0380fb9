// CLEAN. "A flag hand-off works through st; fence; st.relaxed flag | ld.relaxed flag; fence; ld": two warps,
// global memory.
//@ launch: hand_over<<<1, 64>>>(data: u32[1], flag: u32[1], out: u32[1])
#include "../support.h"

__global__ void hand_over(unsigned* data, unsigned* flag, unsigned* out) {
    if (threadIdx.x == 0) {
        weak_store(data, 1);
        fence(acq_rel, cta);
        strong_store(relaxed, cta, flag, 1);
    } else if (threadIdx.x == 32) {
        while (strong_load(relaxed, cta, flag) == 0) {
        }
        fence(acq_rel, cta);
        out[0] = weak_load(data);
    }
}
