// CLEAN. Every thread has its own volatile word.
//@ launch: count<<<2, 64>>>(words: u32[128])
#include "../support.h"

__global__ void count(unsigned* words) {
    unsigned* mine = words + blockIdx.x * 64 + threadIdx.x;
    volatile_store(mine, volatile_load(mine) + 1);
    volatile_store(mine, volatile_load(mine) + 1);
}
