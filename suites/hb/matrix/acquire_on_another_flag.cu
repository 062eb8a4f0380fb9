// RACY. "A strong read of M followed by an acquire operation on M": the acquire was on another word.
//@ launch: hand_over<<<2, 1>>>(data: u32[1], flags: u32[2], out: u32[1])
#include "../support.h"

__global__ void hand_over(unsigned* data, unsigned* flags, unsigned* out) {
    if (blockIdx.x == 0) {
        weak_store(data, 1);
        strong_store(release, gpu, &flags[0], 1);
    } else {
        while (strong_load(relaxed, gpu, &flags[0]) == 0) {
        }
        strong_load(acquire, gpu, &flags[1]);
        out[0] = weak_load(data);  //~ race: missing-fence error (with line 7)
    }
}
