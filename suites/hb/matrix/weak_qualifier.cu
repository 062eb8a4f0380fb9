// RACY. "ld, st without qualifier, or .weak: weak": the qualifier makes no difference.
//@ launch: publish<<<2, 1>>>(word: u32[1], out: u32[1])
#include "../support.h"

__global__ void publish(unsigned* word, unsigned* out) {
    if (blockIdx.x == 0) {
        STORE_AS("st.weak.global.u32", word, 1);
    } else {
        out[0] = LOAD_AS("ld.weak.global.u32", word);  //~ race: missing-sync error (with line 7)
    }
}
