// R4: two blocks, and no fence.
//@ launch: hand_over<<<2, 1>>>(data: u32[1], flag: u32[1], out: u32[1])
#include "support.h"

__global__ void hand_over(unsigned* data, unsigned* flag, unsigned* out) {
    if (blockIdx.x == 0) {
        weak_store(data, 1);
        tell(flag);
    } else {
        wait_for(flag, 1u);
        fence(acq_rel, gpu);
        out[0] = weak_load(data);  //~ [iguard] race: missing-sync error (with line 7)  //~ [hb] race: missing-fence error (with line 7)
    }
}
