// RACY. A failed atom.cas with release semantics does not acquire: two blocks, global memory.
//@ launch: hand_over<<<2, 1>>>(data: u32[1], flag: u32[1], out: u32[1])
#include "../support.h"

__global__ void hand_over(unsigned* data, unsigned* flag, unsigned* out) {
    if (blockIdx.x == 0) {
        weak_store(data, 1);
        strong_store(release, gpu, flag, 1);
    } else {
        while (atom_cas(release, gpu, flag, 7, 8) == 0) {
        }
        out[0] = weak_load(data);  //~ race: missing-fence error (with line 7)
    }
}
