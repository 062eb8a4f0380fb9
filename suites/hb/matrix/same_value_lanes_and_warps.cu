// RACY. What is information within an instruction is a warning between two warps; both are one entry, with the worse severity.
//@ launch: mark<<<1, 64>>>(flag: u32[1])
#include "../support.h"

__global__ void mark(unsigned* flag) {
    weak_store(flag, 1);  //~ race: same-value warning (with itself)
}
