// CLEAN. The last warp to be done invalidates the object: __syncwarp, then one lane counts for its warp with acq_rel.
//@ launch: leave<<<1, 64>>>()
#include "support/ptx.cuh"

__global__ void leave() {
    __shared__ unsigned long long object;
    __shared__ unsigned warps;
    if (threadIdx.x == 0) {
        mbarrier_init(&object, 64);
        warps = 2;
    }
    __syncthreads();
    mbarrier_arrive(&object);
    mbarrier_wait(&object, 0);
    __syncwarp();
    if (threadIdx.x % 32 == 0 && add_acquire_release(&warps, ~0u) == 1) {
        mbarrier_invalidate(&object);
    }
}
