// RACY. "Two operations that overlap, at least one a write": many warps read what one of them then writes.
//@ launch: read_then_write<<<1, 128>>>(out: u32[128])
#include "../support.h"

__global__ void read_then_write(unsigned* out) {
    __shared__ unsigned s;
    if (threadIdx.x == 0) {
        weak_store(&s, 1);
    }
    __syncthreads();
    out[threadIdx.x] = weak_load(&s);
    __syncwarp();
    if (threadIdx.x == 77) {
        weak_store(&s, 2);  //~ race: missing-sync error (with line 11)
    }
}
