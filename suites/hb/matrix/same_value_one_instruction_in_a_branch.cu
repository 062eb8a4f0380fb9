// RACY. The usual "found it" mark: some lanes of one warp set a flag in shared memory.
//@ launch: mark<<<1, 32>>>(out: u32[1])
#include "../support.h"

__global__ void mark(unsigned* out) {
    __shared__ unsigned found;
    if (threadIdx.x % 3 == 0) {
        weak_store(&found, 1);  //~ race: same-value info (with itself)
    }
    __syncwarp();
    if (threadIdx.x == 5) {
        out[0] = weak_load(&found);
    }
}
