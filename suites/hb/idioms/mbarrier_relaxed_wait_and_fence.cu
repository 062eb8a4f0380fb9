// CLEAN. The consumers wait relaxed, but hear of the data by a flag that the producer released; the barrier is only to be polite.
//@ launch: stream<<<1, 64>>>(out: u32[1])
#include "support/ptx.cuh"

__global__ void stream(unsigned* out) {
    __shared__ unsigned data, flag;
    __shared__ unsigned long long full;
    if (threadIdx.x == 0) {
        flag = 0;
        mbarrier_init(&full, 1);
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        data = gridDim.x + 41;
        store_release_block(&flag, 1);
        mbarrier_arrive_relaxed(&full);
    } else if (threadIdx.x == 32) {
        mbarrier_wait_relaxed(&full, 0);
        while (load_acquire_block(&flag) == 0) {
        }
        *out = data;
    }
}
