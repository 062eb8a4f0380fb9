// CLEAN. Shared memory, blocks: the same variable of two blocks is not the same memory.
//@ launch: shared_each_block_its_own<<<2, 32>>>(out: u32[64])
#include "support.h"

__global__ void shared_each_block_its_own(unsigned* out) {
    __shared__ unsigned cells[32];
    weak_store(&cells[threadIdx.x], blockIdx.x);
    out[blockIdx.x * 32 + threadIdx.x] = weak_load(&cells[threadIdx.x]);  //~ [barracuda] clean by barracuda READEXCL  //~ [curd] clean by curd inter-block  //~ [hb] clean by hb "Program order, per thread"
}
