// RACY. The memory of the object is overwritten by a thread that knows by a relaxed flag only that the other one has arrived.
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
    if (threadIdx.x == 32) {
        asm volatile("{.reg .b64 s; mbarrier.arrive.shared.b64 s, [%0];}" ::"r"(shared_address(&object)) : "memory");
        store_relaxed_block(&passed, 1);
    } else if (threadIdx.x == 0) {
        while (load_relaxed_block(&passed) == 0) {
        }
        object = 77;  //~ race: async (with line 14)
    }
}
