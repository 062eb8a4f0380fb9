// RACY. A plain strong store is no read-modify-write: it ends the chain.
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
        while (strong_load(relaxed, gpu, flag) != 1) {
        }
        strong_store(relaxed, gpu, flag, 2);
    }
    __syncthreads();
    if (threadIdx.x == 32) {
        strong_load(acquire, gpu, flag);
        out[0] = weak_load(data);  //~ race: missing-fence error (with line 8)
    }
}
