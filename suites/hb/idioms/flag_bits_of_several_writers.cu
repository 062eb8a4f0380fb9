// CLEAN. Each writer sets its bit of the flag by an atomic with a fence before it; the chain of them carries all releases.
//@ launch: collect<<<4, 1>>>(flag: u32[1], data: u32[3], out: u32[1])
#include "support/ptx.cuh"

__global__ void collect(unsigned* flag, unsigned* data, unsigned* out) {
    if (blockIdx.x < 3) {
        data[blockIdx.x] = blockIdx.x + 1;
        __threadfence();
        atomicOr(flag, 1u << blockIdx.x);
    } else {
        while (load_acquire(flag) != 7) {
        }
        *out = data[0] + data[1] + data[2];
    }
}
