// RACY. The producer does not wait until the buffer is empty: the second copy races with the readers and with the first copy.
//@ launch: fetch<<<1, 64>>>(in: u32[64] = iota, out: u32[64])
#include "support/ptx.cuh"

__global__ void fetch(unsigned* in, unsigned* out) {
    __shared__ alignas(128) unsigned buffer[32];
    __shared__ unsigned long long full[2];
    unsigned lane = threadIdx.x % 32;
    if (threadIdx.x < 2) {
        mbarrier_init(full + threadIdx.x, 1);
        fence_proxy_async();
    }
    __syncthreads();
    for (unsigned item = 0; item < 2; ++item) {
        if (threadIdx.x == 0) {
            mbarrier_arrive_expecting(full + item, 128);
            BULK_LOAD(buffer, in + item * 32, 128, full + item);  //~ race: async (with itself)
        } else if (threadIdx.x >= 32) {
            mbarrier_wait(full + item, 0);
            out[item * 32 + lane] = buffer[31 - lane];  //~ race: async (with line 17)
        }
    }
}
