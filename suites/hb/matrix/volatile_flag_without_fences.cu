// RACY. "ld/st.volatile: relaxed at sys": a volatile flag alone hands nothing over.
//@ launch: hand_over<<<2, 1>>>(data: u32[1], flag: u32[1], out: u32[1])
#include "../support.h"

__global__ void hand_over(unsigned* data, volatile unsigned* flag, unsigned* out) {
    if (blockIdx.x == 0) {
        weak_store(data, 1);
        *flag = 1;
    } else {
        while (*flag == 0) {  //~ race: volatile warning (with line 8)
        }
        out[0] = weak_load(data);  //~ race: missing-fence error (with line 7)
    }
}
