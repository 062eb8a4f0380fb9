// RACY. A flag between launches of two streams, without release and acquire.
//@ launch: write<<<1, 1, stream=1>>>()
//@ launch: read<<<1, 1, stream=2>>>(out: u32[1])
#include "../support.h"

__device__ unsigned data, flag;

__global__ void write() {
    weak_store(&data, 1);
    strong_store(relaxed, gpu, &flag, 1);
}

__global__ void read(unsigned* out) {
    while (strong_load(relaxed, gpu, &flag) == 0) {
    }
    out[0] = weak_load(&data);  //~ race: inter-kernel error (with line 9)
}
