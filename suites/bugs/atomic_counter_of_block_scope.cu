// CLEAN. Atomics: two blocks add with block scope. The thesis' atomics have no scopes; those of PTX have.
//@ launch: atomic_counter_of_block_scope<<<2, 1>>>(counter: u32[1])
#include "support.h"

__global__ void atomic_counter_of_block_scope(unsigned* counter) {
    atomicAdd_block(counter, 1u);  //~ [barracuda, curd] clean by barracuda ATOMEXCL  //~ [hb] race: scope error (with itself) by hb "block-scope atomics from two blocks race"
}
