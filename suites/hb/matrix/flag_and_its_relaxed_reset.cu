// RACY. The reader resets the flag with a relaxed store: its read is not before the writer's next store.
//@ launch: ping_pong<<<2, 1>>>(data: u32[1], flag: u32[1], out: u32[4])
#include "../support.h"

__global__ void ping_pong(unsigned* data, unsigned* flag, unsigned* out) {
    for (int round = 0; round < 4; round++) {
        if (blockIdx.x == 0) {
            while (strong_load(acquire, gpu, flag) != 0) {
            }
            weak_store(data, round);
            strong_store(release, gpu, flag, 1);
        } else {
            while (strong_load(acquire, gpu, flag) != 1) {
            }
            out[round] = weak_load(data);  //~ race: missing-fence error (with line 10)
            strong_store(relaxed, gpu, flag, 0);
        }
    }
}
