// CLEAN. The order by observation goes on through a barrier to the other threads of the block.
//@ launch: observe<<<2, 64>>>(word: u32[1], out: u32[64])
#include "support/ptx.cuh"

__global__ void observe(unsigned* word, unsigned* out) {
    if (blockIdx.x == 0) {
        if (threadIdx.x == 0) {
            store_relaxed(word, 5);
        }
    } else {
        if (threadIdx.x == 0) {
            while (load_relaxed(word) != 5) {
            }
        }
        __syncthreads();
        out[threadIdx.x] = *word;
    }
}
