// CLEAN. A failed atom.cas writes nothing, so it cannot break a chain either.
//@ launch: hand_over<<<2, 64>>>(data: u32[1], flag: u32[1], out: u32[1])
#include "../support.h"

__global__ void hand_over(unsigned* data, unsigned* flag, unsigned* out) {
    if (blockIdx.x == 0) {
        if (threadIdx.x == 0) {
            weak_store(data, 1);
            strong_store(release, gpu, flag, 1);
        }
        return;
    }
    if (threadIdx.x == 0) {
        while (atom_cas(relaxed, gpu, flag, 7, 8) != 1) {
        }
    }
    __syncthreads();
    if (threadIdx.x == 32) {
        strong_load(acquire, gpu, flag);
        out[0] = weak_load(data);
    }
}
