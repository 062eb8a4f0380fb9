// CLEAN. A warp leaves with arrive_drop; its last data is released as by any arrival, and later phases do without it.
//@ launch: stream<<<1, 64>>>(out: u32[32])
#include "support/ptx.cuh"

__global__ void stream(unsigned* out) {
    __shared__ unsigned data[32];
    __shared__ unsigned long long object;
    if (threadIdx.x == 0) {
        mbarrier_init(&object, 64);
    }
    __syncthreads();
    if (threadIdx.x < 32) {
        data[threadIdx.x] = threadIdx.x * 2;
        asm volatile("{.reg .b64 s; mbarrier.arrive_drop.shared.b64 s, [%0];}" ::"r"(shared_address(&object)) : "memory");
    } else {
        mbarrier_arrive(&object);
        mbarrier_wait(&object, 0);
        mbarrier_arrive(&object);
        mbarrier_wait(&object, 1);
        out[threadIdx.x - 32] = data[63 - threadIdx.x];
    }
}
