// RACY. The same with a vote in place of __syncwarp: one lane counts for others whose waits are not ordered before it.
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
    unsigned done = 0;
    while (done == 0) {
        asm volatile("{.reg .pred p; mbarrier.try_wait.parity.shared.b64 p, [%1], 0; selp.u32 %0, 1, 0, p;}" : "=r"(done) : "r"(shared_address(&object)) : "memory");
    }
    __ballot_sync(~0u, done);
    if (threadIdx.x % 32 == 0 && add_acquire_release(&warps, ~0u) == 1) {
        asm volatile("mbarrier.inval.shared.b64 [%0];" ::"r"(shared_address(&object)) : "memory");  //~ race: async (with line 16)
    }
}
