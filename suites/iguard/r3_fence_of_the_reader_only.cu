// R3: it is the fence of the thread that wrote that counts, and its own came too early.
//@ launch: warps<<<1, 64>>>(data: u32[1], flag: u32[1], out: u32[1])
#include "support.h"

__global__ void warps(unsigned* data, unsigned* flag, unsigned* out) {
    if (threadIdx.x == 0) {
        fence(acq_rel, cta);
        weak_store(data, 1);
        tell(flag);
    } else if (threadIdx.x == 32) {
        wait_for(flag, 1u);
        fence(acq_rel, cta);
        out[0] = weak_load(data);  //~ [iguard] race: missing-sync error (with line 8)  //~ [hb] race: missing-fence error (with line 8)
    }
}
