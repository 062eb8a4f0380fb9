// RACY. One lane arrives for 32 storing lanes that it did not wait for.
//@ launch: publish<<<1, 64>>>(out: u32[32])
#include "support/ptx.cuh"

__global__ void publish(unsigned* out) {
    __shared__ unsigned buffer[32];
    __shared__ unsigned long long full;
    unsigned lane = threadIdx.x % 32;
    if (threadIdx.x == 0) {
        mbarrier_init(&full, 1);
    }
    __syncthreads();
    if (threadIdx.x < 32) {
        buffer[lane] = lane * lane;
        if (lane == 0) {
            mbarrier_arrive(&full);
        }
    } else {
        mbarrier_wait(&full, 0);
        out[lane] = buffer[31 - lane];  //~ race: missing-sync (with line 14)
    }
}
