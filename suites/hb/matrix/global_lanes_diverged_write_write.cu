// RACY. "Lanes that diverged": two paths of one branch write different values to one word.
//@ launch: choose<<<1, 32>>>(data: u32[1])
#include "../support.h"

__global__ void choose(unsigned* data) {
    if (threadIdx.x == 0) {
        weak_store(data, 1);
    } else if (threadIdx.x == 1) {
        weak_store(data, 2);  //~ race: divergence error (with line 7)
    }
}
