// CLEAN. Global memory, blocks: locations are bytes, and two bytes of one word are two locations.
//@ launch: global_bytes_side_by_side<<<2, 1>>>(data: u32[1])
#include "support.h"

__global__ void global_bytes_side_by_side(unsigned* data) {
    weak_store_as(u8, (char*)data + blockIdx.x, 1);  //~ [barracuda] clean by barracuda WRITEEXCL  //~ [curd] clean by curd inter-block  //~ [hb] clean by hb "Overlap is by byte range"
}
