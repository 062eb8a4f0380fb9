// CLEAN. One lane of the consumers waits and the others are told by __syncwarp.
//@ launch: publish<<<1, 64>>>(out: u32[32])
#include "support/ptx.cuh"

__global__ void publish(unsigned* out) {
    __shared__ unsigned buffer[32];
    __shared__ unsigned long long full;
    unsigned lane = threadIdx.x % 32;
    if (threadIdx.x == 0) {
        mbarrier_init(&full, 32);
    }
    __syncthreads();
    if (threadIdx.x < 32) {
        buffer[lane] = lane * lane;
        mbarrier_arrive(&full);
    } else {
        if (lane == 0) {
            mbarrier_wait(&full, 0);
        }
        __syncwarp();
        out[lane] = buffer[31 - lane];
    }
}
