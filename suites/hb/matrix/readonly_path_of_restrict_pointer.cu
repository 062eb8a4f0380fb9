// RACY. The compiler makes ld.global.nc of const __restrict__, which the program breaks by writing there.
//@ launch: look<<<2, 32>>>(in: u32[64], out: u32[64])
#include "../support.h"

extern "C" __global__ void look(const unsigned* __restrict__ in, unsigned* __restrict__ out) {
    // The same pointer once more, behind the back of the compiler.
    unsigned* same;
    asm volatile("ld.param.u64 %0, [look_param_0];" : "=l"(same));
    if (blockIdx.x == 0) {
        same[threadIdx.x] = 1;
    } else {
        out[threadIdx.x] = in[threadIdx.x];  //~ race: readonly-path error (with line 10)
    }
}
