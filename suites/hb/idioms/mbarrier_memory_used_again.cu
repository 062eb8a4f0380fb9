// CLEAN. The object is invalidated after a barrier, and its memory serves as something else.
//@ launch: stream<<<1, 64>>>(out: u32[64])
#include "support/ptx.cuh"

__global__ void stream(unsigned* out) {
    __shared__ unsigned long long object;
    if (threadIdx.x == 0) {
        mbarrier_init(&object, 64);
    }
    __syncthreads();
    mbarrier_arrive(&object);
    mbarrier_wait(&object, 0);
    __syncthreads();
    if (threadIdx.x == 0) {
        mbarrier_invalidate(&object);
        object = 77;
    }
    __syncthreads();
    out[threadIdx.x] = static_cast<unsigned>(object);
}
