// CLEAN. Strong stores of the same value do not race.
//@ launch: mark<<<2, 64>>>(flag: u32[1])
#include "../support.h"

__global__ void mark(unsigned* flag) {
    strong_store(relaxed, gpu, flag, 1);
    atomicExch(flag, 1);
}
