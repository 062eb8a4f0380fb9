// CLEAN. Figure 1 of iGUARD: a block takes work by an atomic of block scope, another one steals from the same part. The thesis' atomics
// have no scopes.
//@ launch: iguard_figure_1_work_stealing<<<2, 32>>>(next: u32[2], end: u32[2], current: u32[2], turn: u32[1])
#include "support.h"

__device__ int get_work(unsigned* next, unsigned* end, unsigned* current, unsigned* turn) {
    if (threadIdx.x != 0) {
        return -1;
    }
    unsigned block = blockIdx.x;
    if (block == 0) {
        weak_store(current + block, atomicAdd_block(next + block, 32u));
        tell(turn);
        return 0;
    }
    wait_for(turn, 1u);
    unsigned victim = 0;
    weak_store(current + block, atomicAdd(next + victim, 32u));  //~ [barracuda, curd] clean by barracuda ATOMEXCL  //~ [hb] race: scope error (with line 12) by hb "block-scope atomics from two blocks race"
    return weak_load(current + block) < weak_load(end + victim) ? 1 : -1;
}

__global__ void iguard_figure_1_work_stealing(unsigned* next, unsigned* end, unsigned* current, unsigned* turn) {
    get_work(next, end, current, turn);
}
