// R1, figure 1 of the paper: a block takes work from its own part with an atomic of block scope, another one steals from
// the same part.
//@ launch: work<<<2, 32>>>(next: u32[2], end: u32[2], current: u32[2], turn: u32[1])
#include "support.h"

__device__ int get_work(unsigned* next, unsigned* end, unsigned* current, unsigned* turn) {
    if (threadIdx.x != 0) {
        return -1;
    }
    unsigned block = blockIdx.x;
    if (block == 0) {
        weak_store(current + block, atom_add(relaxed, cta, next + block, 32));
        tell(turn);
        return 0;
    }
    wait_for(turn, 1u);
    unsigned victim = 0;
    weak_store(current + block, atom_add(relaxed, gpu, next + victim, 32));  //~ race: scope error (with line 12)
    return weak_load(current + block) < weak_load(end + victim) ? 1 : -1;
}

__global__ void work(unsigned* next, unsigned* end, unsigned* current, unsigned* turn) {
    get_work(next, end, current, turn);
}
