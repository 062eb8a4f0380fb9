// R4: a byte of a word that another block writes as a whole, also where each byte is a location.
//@ flags: --iguard-granularity=1
//@ launch: overlap<<<2, 1>>>(data: u32[1], turn: u32[1], out: u32[1])
#include "support.h"

__global__ void overlap(unsigned* data, unsigned* turn, unsigned* out) {
    wait_for(turn, blockIdx.x);
    if (blockIdx.x == 0) {
        weak_store(data, 7);
    } else {
        out[0] = weak_load_as(u8, (unsigned char*)data + 3);  //~ [iguard] race: missing-sync error (with line 9)  //~ [hb] race: missing-fence error (with line 9)
    }
    tell(turn);
}
