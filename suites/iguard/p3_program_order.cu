// CLEAN. P3: the thread itself was there before, and nobody else.
//@ launch: steps<<<2, 64>>>(data: u32[128])
#include "support.h"

__global__ void steps(unsigned* data) {
    unsigned* own = data + blockIdx.x * 64 + threadIdx.x;
    for (unsigned step = 0; step < 4; step++) {
        weak_store(own, weak_load(own) + step);
    }
    atom_add(relaxed, cta, own, 1);
    weak_store(own, weak_load(own) * 2);
}
