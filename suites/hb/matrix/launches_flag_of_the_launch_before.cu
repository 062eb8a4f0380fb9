// CLEAN. A flag that an earlier launch has set needs no order within this one.
//@ launch: publish<<<1, 1>>>(value = 5)
//@ launch: collect<<<2, 32>>>(out: u32[64])
#include "../support.h"

__device__ unsigned data, flag;

__global__ void publish(unsigned value) {
    weak_store(&data, value);
    weak_store(&flag, 1);
}

__global__ void collect(unsigned* out) {
    if (weak_load(&flag) == 1) {
        out[blockIdx.x * 32 + threadIdx.x] = weak_load(&data);
    }
}
