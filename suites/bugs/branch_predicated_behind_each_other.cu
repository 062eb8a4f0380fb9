// CLEAN. Branches: an instruction with a guard is a branch of its own, which has ended before the next one.
//@ launch: branch_predicated_behind_each_other<<<1, 32>>>(out: u32[32])
#include "support.h"

__global__ void branch_predicated_behind_each_other(unsigned* out) {
    __shared__ unsigned cells[8];
    unsigned* own = &cells[threadIdx.x % 8];
    unsigned value = 0;
    asm volatile("{ .reg .pred p; setp.lt.u32 p, %0, 8; @p st.u32 [%1], %0; }" ::"r"(threadIdx.x), "l"(own) : "memory");
    asm volatile("{ .reg .pred p; setp.ge.u32 p, %1, 24; @p ld.u32 %0, [%2]; }" : "+r"(value) : "r"(threadIdx.x), "l"(own) : "memory");  //~ [barracuda] clean by barracuda ELSEENDIF  //~ [curd] race: warp-sync warning (with line 9) by curd intra-block  //~ [hb] race: divergence error (with line 9) by hb "or lanes that diverged"
    out[threadIdx.x] = value;
}
