// RACY. The object is invalidated by a thread that has not made sure that the other one is done waiting.
//@ launch: stream<<<1, 64>>>()
#include "support/ptx.cuh"

__global__ void stream() {
    __shared__ unsigned long long object;
    __shared__ unsigned passed;
    if (threadIdx.x == 0) {
        passed = 0;
        mbarrier_init(&object, 1);
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        mbarrier_arrive(&object);
        while (load_relaxed_block(&passed) == 0) {
        }
        asm volatile("mbarrier.inval.shared.b64 [%0];" ::"r"(shared_address(&object)) : "memory");
    } else if (threadIdx.x == 32) {
        unsigned done = 0;
        while (done == 0) {
            asm volatile("{.reg .pred p; mbarrier.try_wait.parity.shared.b64 p, [%1], 0; selp.u32 %0, 1, 0, p;}" : "=r"(done) : "r"(shared_address(&object)) : "memory");  //~ race: async (with line 17)
        }
        store_relaxed_block(&passed, 1);
    }
}
