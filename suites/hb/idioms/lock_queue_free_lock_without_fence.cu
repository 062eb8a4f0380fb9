// RACY. The fence is only in the waiting path: a block that finds the queue empty has not acquired from the owner before. Here
// the second block comes when the first has left, told by a relaxed flag.
//@ launch: add<<<2, 1>>>(tail: u32[1], left: u32[1], total: u32[1])
#include "support/ptx.cuh"

__global__ void add(unsigned* tail, unsigned* left, unsigned* total) {
    if (blockIdx.x == 0) {
        atomicExch(tail, 1u);
        *total = *total + 1;
        __threadfence();
        atomicCAS(tail, 1u, 0u);
        store_relaxed(left, 1);
    } else {
        while (load_relaxed(left) == 0) {
        }
        if (atomicExch(tail, 2u) == 0) {
            *total = *total + 2;  //~ race: missing-fence (with line 9)
        }
    }
}
