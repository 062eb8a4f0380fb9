// RACY. The buffer was counted in by atomics. Before a bulk copy may overwrite them a proxy fence is needed; the barrier
// alone orders them for threads only.
//@ launch: fetch<<<1, 64>>>(in: u32[64] = iota, out: u32[64])
#include "support/ptx.cuh"

__global__ void fetch(unsigned* in, unsigned* out) {
    __shared__ alignas(128) unsigned buffer[64];
    __shared__ unsigned long long full;
    unsigned place = atomicAdd(&buffer[threadIdx.x % 16], 1);
    if (threadIdx.x == 0) {
        mbarrier_init(&full, 1);
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        mbarrier_arrive_expecting(&full, sizeof(buffer));
        BULK_LOAD(buffer, in, sizeof(buffer), &full);  //~ race: async (with line 9)
    }
    mbarrier_wait(&full, 0);
    out[threadIdx.x] = buffer[63 - threadIdx.x] + place;
}
