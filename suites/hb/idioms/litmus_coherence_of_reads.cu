// CLEAN. Two relaxed reads of one word while another block writes it twice.
//@ launch: litmus<<<2, 1>>>(word: u32[1], wrong: u32[1])
#include "support/ptx.cuh"

__global__ void litmus(unsigned* word, unsigned* wrong) {
    if (blockIdx.x == 0) {
        store_relaxed(word, 1);
        store_relaxed(word, 2);
    } else if (load_relaxed(word) > load_relaxed(word)) {
        *wrong = 1;
    }
}
