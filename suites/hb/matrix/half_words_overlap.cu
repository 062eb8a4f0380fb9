// RACY. Half a word against the byte that is in it, in shared memory.
//@ launch: mix<<<1, 64>>>(out: u32[1])
#include "../support.h"

__global__ void mix(unsigned* out) {
    __shared__ unsigned word;
    char* bytes = (char*)&word;
    if (threadIdx.x == 0) {
        weak_store_as(u16, bytes + 2, 7);
    } else if (threadIdx.x == 32) {
        out[0] = weak_load_as(u8, bytes + 3);  //~ race: missing-sync error (with line 9)
    }
}
