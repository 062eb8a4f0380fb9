// CLEAN. "Program order, per thread": a thread may write and read its own place as it likes.
//@ launch: count<<<2, 64>>>(data: u32[128])
#include "../support.h"

__global__ void count(unsigned* data) {
    unsigned* mine = data + blockIdx.x * 64 + threadIdx.x;
    for (int i = 0; i < 3; i++) {
        weak_store(mine, weak_load(mine) + 1);
    }
    atomicAdd(mine, 1);
    weak_store(mine, weak_load(mine) + 1);
}
