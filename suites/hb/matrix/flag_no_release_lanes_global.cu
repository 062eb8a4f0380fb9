// RACY. "A flag hand-off without its fence": the writer has none: two lanes of one warp, global memory.
//@ launch: hand_over<<<1, 32>>>(data: u32[1], flag: u32[1], out: u32[1])
#include "../support.h"

__global__ void hand_over(unsigned* data, unsigned* flag, unsigned* out) {
    if (threadIdx.x == 5) {
        weak_store(data, 1);
        strong_store(relaxed, cta, flag, 1);
    } else if (threadIdx.x == 4) {
        while (strong_load(acquire, cta, flag) == 0) {
        }
        out[0] = weak_load(data);  //~ race: missing-fence error (with line 7)
    }
}
