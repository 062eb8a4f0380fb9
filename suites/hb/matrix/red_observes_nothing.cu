// RACY. "red is never a read": after a red, a weak load of the same word is in no order with others' writes.
//@ launch: count<<<2, 1>>>(counter: u32[1], out: u32[2])
#include "../support.h"

__global__ void count(unsigned* counter, unsigned* out) {
    red_add(relaxed, gpu, counter, 1);
    out[blockIdx.x] = weak_load(counter);  //~ race: missing-sync error (with line 6)
}
