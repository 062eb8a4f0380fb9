// RACY. Threads in two dimensions: warps are made of the linear number, and two rows share a column's word.
//@ launch: columns<<<1, (32, 4)>>>(out: u32[32])
#include "../support.h"

__global__ void columns(unsigned* out) {
    weak_store(&out[threadIdx.x], threadIdx.y);  //~ race: missing-sync error (with itself)
}
