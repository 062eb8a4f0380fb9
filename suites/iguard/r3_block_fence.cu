// CLEAN. Not R3: the thread that wrote has executed a fence of block scope since.
//@ launch: warps<<<1, 64>>>(data: u32[1], flag: u32[1], out: u32[1])
#include "support.h"

__global__ void warps(unsigned* data, unsigned* flag, unsigned* out) {
    if (threadIdx.x == 0) {
        weak_store(data, 1);
        fence(acq_rel, cta);
        tell(flag);
    } else if (threadIdx.x == 32) {
        wait_for(flag, 1u);
        fence(acq_rel, cta);
        out[0] = weak_load(data);
    }
}
