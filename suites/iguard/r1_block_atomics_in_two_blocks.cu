// R1: an atomic of block scope, and then a thread of another block.
//@ launch: count<<<2, 32>>>(counter: u32[1])
#include "support.h"

__global__ void count(unsigned* counter) {
    red_add(relaxed, cta, counter, 1);  //~ race: scope error (with itself)
}
