// RACY. A plain strong store in the middle is no link: the last block observes it, and through it not what it replaced. A relaxed
// flag makes sure that the last block does not look earlier.
//@ launch: observe<<<3, 1>>>(word: u32[1], stored: u32[1], out: u32[1])
#include "support/ptx.cuh"

__global__ void observe(unsigned* word, unsigned* stored, unsigned* out) {
    if (blockIdx.x == 0) {
        asm volatile("st.relaxed.gpu.u32 [%0], 1;" ::"l"(word) : "memory");
    } else if (blockIdx.x == 1) {
        while (load_relaxed(word) == 0) {
        }
        store_relaxed(word, 2);
        store_relaxed(stored, 1);
    } else {
        while (load_relaxed(stored) == 0) {
        }
        if (load_relaxed(word) == 2) {
            *out = *word;  //~ race: missing-fence (with line 8)
        }
    }
}
