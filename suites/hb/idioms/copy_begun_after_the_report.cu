// RACY. The copy is begun after the thread's report to the mbarrier, which speaks for earlier copies only.
//@ launch: stream<<<1, 64>>>(in: u32[64] = iota, out: u32[64])
#include "support/ptx.cuh"

__global__ void stream(unsigned* in, unsigned* out) {
    __shared__ unsigned buffer[64];
    __shared__ unsigned long long copied;
    if (threadIdx.x == 0) {
        mbarrier_init(&copied, 64);
    }
    __syncthreads();
    copy_arrive_on(&copied);
    COPY_ASYNC_4(buffer + threadIdx.x, in + threadIdx.x);
    mbarrier_wait(&copied, 0);
    out[threadIdx.x] = buffer[63 - threadIdx.x];  //~ race: async (with line 13)
    copy_wait_all();
}
