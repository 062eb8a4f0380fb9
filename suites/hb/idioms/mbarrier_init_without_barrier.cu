// RACY. The object is initialised by one thread and used by another, which knows by a relaxed flag only that it is there.
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
        asm volatile("mbarrier.init.shared.b64 [%0], 1;" ::"r"(shared_address(&object)) : "memory");
        store_relaxed_block(&ready, 1);
    } else if (threadIdx.x == 32) {
        while (load_relaxed_block(&ready) == 0) {
        }
        asm volatile("{.reg .b64 s; mbarrier.arrive.shared.b64 s, [%0];}" ::"r"(shared_address(&object)) : "memory");  //~ race: async (with line 13)
    }
}
