// CLEAN. P2: a load from a location that nobody has written in this launch.
//@ launch: read<<<4, 64>>>(data: u32[4], out: u32[256])
#include "support.h"

__global__ void read(unsigned* data, unsigned* out) {
    unsigned sum = weak_load(data) + weak_load(data + threadIdx.x % 4);
    weak_store(out + blockIdx.x * 64 + threadIdx.x, sum);
}
