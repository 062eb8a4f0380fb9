// RACY. What is information within an instruction is an error between two warps.
//@ launch: mark<<<1, 64>>>(flag: u32[1])
#include "../support.h"

__global__ void mark(unsigned* flag) {
    weak_store(flag, 1);  //~ race: same-value info (with itself)  //~ race: same-value warning (with itself)
}
