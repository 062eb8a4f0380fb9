// CLEAN. A flag hands over between launches of two streams as it does between blocks.
//@ launch: write<<<1, 1, stream=1>>>()
//@ launch: read<<<1, 1, stream=2>>>(out: u32[1])
#include "../support.h"

__device__ unsigned data, flag;

__global__ void write() {
    weak_store(&data, 1);
    strong_store(release, gpu, &flag, 1);
}

__global__ void read(unsigned* out) {
    while (strong_load(acquire, gpu, &flag) == 0) {
    }
    out[0] = weak_load(&data);
}
