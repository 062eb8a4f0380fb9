// CLEAN. A relaxed addition in the middle continues the chain that starts with the release; it need not acquire itself.
//@ launch: pass_on<<<3, 1>>>(flag: u32[1], data: u32[1], out: u32[1])
#include "support/ptx.cuh"

__global__ void pass_on(unsigned* flag, unsigned* data, unsigned* out) {
    if (blockIdx.x == 0) {
        *data = 42;
        store_release(flag, 1);
    } else if (blockIdx.x == 1) {
        while (load_relaxed(flag) == 0) {
        }
        atomicAdd(flag, 1u);
    } else {
        while (load_acquire(flag) != 2) {
        }
        *out = *data;
    }
}
