// CLEAN. Global memory, blocks: every block has a part of its own.
//@ launch: global_blocks_parts_of_their_own<<<2, 32>>>(data: u32[64])
#include "support.h"

__global__ void global_blocks_parts_of_their_own(unsigned* data) {
    unsigned place = blockIdx.x * 32 + threadIdx.x;
    weak_store(data + place, place);
    weak_store(data + place, weak_load(data + place) + 1);  //~ [barracuda] clean by barracuda WRITEEXCL  //~ [curd] clean by curd inter-block  //~ [hb] clean by hb "Program order, per thread"
}
