// RACY. "A flag hand-off without its fence": the reader has none: two warps, shared memory.
//@ launch: hand_over<<<1, 64>>>(out: u32[1])
#include "../support.h"

__global__ void hand_over(unsigned* out) {
    __shared__ unsigned data, flag;
    if (threadIdx.x == 0) {
        flag = 0;
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        weak_store(&data, 1);
        strong_store(release, cta, &flag, 1);
    } else if (threadIdx.x == 32) {
        while (strong_load(relaxed, cta, &flag) == 0) {
        }
        out[0] = weak_load(&data);  //~ race: missing-fence error (with line 12)
    }
}
