// RACY. A flag of block scope between two blocks: the flag itself and the data race for their scope.
//@ launch: hand_over<<<2, 1>>>(data: u32[1], flag: u32[1], out: u32[1])
#include "../support.h"

__global__ void hand_over(unsigned* data, unsigned* flag, unsigned* out) {
    if (blockIdx.x == 0) {
        weak_store(data, 1);
        strong_store(release, cta, flag, 1);
    } else {
        while (strong_load(acquire, gpu, flag) == 0) {  //~ race: scope error (with line 8)
        }
        out[0] = weak_load(data);  //~ race: scope error (with line 7)
    }
}
