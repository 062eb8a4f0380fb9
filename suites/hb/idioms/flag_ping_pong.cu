// CLEAN. Two blocks change one word in turn, and hand it over by one flag.
//@ launch: turns<<<2, 1>>>(turn: u32[1], word: u32[1])
#include "support/ptx.cuh"

__global__ void turns(unsigned* turn, unsigned* word) {
    for (unsigned round = 0; round < 3; ++round) {
        while (load_acquire(turn) != 2 * round + blockIdx.x) {
        }
        *word = *word * 3 + blockIdx.x + 1;
        store_release(turn, 2 * round + blockIdx.x + 1);
    }
}
