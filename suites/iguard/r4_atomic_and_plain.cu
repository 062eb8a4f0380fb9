// R4: an atomic on one side, a plain store on the other.
//@ launch: count<<<2, 1>>>(counter: u32[1])
#include "support.h"

__global__ void count(unsigned* counter) {
    if (blockIdx.x == 0) {
        atom_add(relaxed, gpu, counter, 1);
    } else {
        weak_store(counter, 0);  //~ race: missing-sync error (with line 7)
    }
}
