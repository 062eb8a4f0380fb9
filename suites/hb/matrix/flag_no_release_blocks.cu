// RACY. "A flag hand-off without its fence": the writer has none: two blocks, global memory.
//@ launch: hand_over<<<2, 1>>>(data: u32[1], flag: u32[1], out: u32[1])
#include "../support.h"

__global__ void hand_over(unsigned* data, unsigned* flag, unsigned* out) {
    if (blockIdx.x == 0) {
        weak_store(data, 1);
        strong_store(relaxed, gpu, flag, 1);
    } else {
        while (strong_load(acquire, gpu, flag) == 0) {
        }
        out[0] = weak_load(data);  //~ race: missing-fence error (with line 7)
    }
}
