// RACY. The warp barrier leaves out the upper lanes, for which the elected lane releases, too.
//@ launch: publish<<<1, 64>>>(out: u32[32])
#include "support/ptx.cuh"

__global__ void publish(unsigned* out) {
    __shared__ unsigned buffer[32], flag;
    unsigned lane = threadIdx.x % 32;
    if (threadIdx.x == 0) {
        flag = 0;
    }
    __syncthreads();
    if (threadIdx.x < 32) {
        buffer[lane] = lane * lane;
        if (lane < 16) {
            __syncwarp(0x0000ffffu);
        }
        if (lane == 0) {
            store_release_block(&flag, 1);
        }
    } else {
        while (load_acquire_block(&flag) == 0) {
        }
        out[lane] = buffer[31 - lane];  //~ race: missing-sync (with line 13)
    }
}
