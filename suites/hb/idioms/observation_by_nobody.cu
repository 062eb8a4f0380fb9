// RACY. The weak read of another thread than the one that observed the write: nothing brings the observation to it.
//@ launch: observe<<<2, 64>>>(word: u32[1], out: u32[1])
#include "support/ptx.cuh"

__global__ void observe(unsigned* word, unsigned* out) {
    if (blockIdx.x == 0) {
        if (threadIdx.x == 0) {
            asm volatile("st.relaxed.gpu.u32 [%0], 5;" ::"l"(word) : "memory");
        }
    } else if (threadIdx.x == 0) {
        while (load_relaxed(word) != 5) {
        }
    } else if (threadIdx.x == 32) {
        *out = *word;  //~ race: missing-sync (with line 8)
    }
}
