// CLEAN. The object is initialised by one thread, and a release and an acquire tell another one.
//@ launch: stream<<<1, 64>>>()
#include "support/ptx.cuh"

__global__ void stream() {
    __shared__ unsigned long long object;
    __shared__ unsigned ready;
    if (threadIdx.x == 0) {
        ready = 0;
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        mbarrier_init(&object, 1);
        store_release_block(&ready, 1);
    } else if (threadIdx.x == 32) {
        while (load_acquire_block(&ready) == 0) {
        }
        mbarrier_arrive(&object);
    }
}
