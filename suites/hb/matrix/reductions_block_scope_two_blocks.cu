// RACY. red is strong at its scope, as atom is.
//@ launch: count<<<2, 1>>>(counter: u32[1])
#include "../support.h"

__global__ void count(unsigned* counter) {
    red_add(relaxed, cta, counter, 1);  //~ race: scope error (with itself)
}
