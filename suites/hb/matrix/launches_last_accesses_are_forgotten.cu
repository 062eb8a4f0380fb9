// CLEAN. What a launch has read without order is no concern of the next one, which writes it.
//@ launch: read<<<4, 64>>>(out: u32[64])
//@ launch: write<<<1, 64>>>(value = 9)
//@ launch: read<<<4, 64>>>(out: u32[64])
#include "../support.h"

__device__ unsigned table[64];

__global__ void read(unsigned* out) {
    unsigned value = weak_load(&table[63 - threadIdx.x]);
    if (blockIdx.x == 0) {
        out[threadIdx.x] = value;
    }
}

__global__ void write(unsigned value) {
    weak_store(&table[threadIdx.x], value);
}
