// RACY. The writer has waited for two of three reading warps: the third one is not forgotten.
//@ launch: read_then_write<<<1, 128>>>(out: u32[128])
#include "../support.h"

__global__ void read_then_write(unsigned* out) {
    __shared__ unsigned s;
    unsigned warp = threadIdx.x / 32;
    if (warp == 0) {
        out[threadIdx.x] = weak_load(&s);
        barrier_arrive(1, 96);
    } else if (warp == 1) {
        out[threadIdx.x] = weak_load(&s);
    } else if (warp == 2) {
        out[threadIdx.x] = weak_load(&s);
        barrier_arrive(1, 96);
    } else {
        barrier_sync(1, 96);
        if (threadIdx.x == 127) {
            weak_store(&s, 2);  //~ race: missing-sync error (with line 12)
        }
    }
}
