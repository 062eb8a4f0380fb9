// R4: cp.async reads its source when it is issued, as any load.
//@ launch: copy<<<2, 1>>>(data: u32[4], flag: u32[1], out: u32[1])
#include "support.h"

__global__ void copy(unsigned* data, unsigned* flag, unsigned* out) {
    __shared__ __align__(16) unsigned tile[4];
    if (blockIdx.x == 0) {
        weak_store(data + 2, 1);
        tell(flag);
        return;
    }
    wait_for(flag, 1u);
    unsigned to = (unsigned)__cvta_generic_to_shared(tile);
    asm volatile("cp.async.ca.shared.global [%0], [%1], 16;" ::"r"(to), "l"(data) : "memory");  //~ [iguard] race: missing-sync error (with line 8)  //~ [hb] race: async error (with line 8)
    asm volatile("cp.async.wait_all;" ::: "memory");
    out[0] = tile[2];
}
