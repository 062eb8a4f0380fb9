// RACY. The same with a relaxed store in the middle: the observation is not brought to the third block.
//@ launch: litmus<<<3, 1>>>(x: u32[1], y: u32[1], out: u32[1])
#include "support/ptx.cuh"

__global__ void litmus(unsigned* x, unsigned* y, unsigned* out) {
    if (blockIdx.x == 0) {
        asm volatile("st.relaxed.gpu.u32 [%0], 1;" ::"l"(x) : "memory");
    } else if (blockIdx.x == 1) {
        while (load_relaxed(x) == 0) {
        }
        store_relaxed(y, 1);
    } else {
        while (load_acquire(y) == 0) {
        }
        *out = *x;  //~ race: missing-fence (with line 7)
    }
}
