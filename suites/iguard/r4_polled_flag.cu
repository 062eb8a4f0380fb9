// R4: a flag that is polled by loads is reported itself, however strong they are; what it hands over is not. In the PTX
// memory model all of this is right.
//@ launch: hand_over<<<2, 1>>>(data: u32[1], flag: u32[1], out: u32[1])
#include "support.h"

__global__ void hand_over(unsigned* data, unsigned* flag, unsigned* out) {
    if (blockIdx.x == 0) {
        weak_store(data, 1);
        strong_store(release, gpu, flag, 1);
    } else {
        while (strong_load(acquire, gpu, flag) == 0) {  //~ [iguard] race: missing-sync error (with line 9)
        }
        out[0] = weak_load(data);
    }
}
