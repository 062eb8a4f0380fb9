// CLEAN. The condition names one thread of one block; the variable is global. The guard is made from an
// integer `or` of the two indices.
//@ speculated: kernel=device_scalar loads=1 blocks="0" threads="0" gate="selp"
//@ launch: device_scalar<<<3, 64>>>(out: i32[1024] = iota)
#include "harness.cuh"

__device__ int box = 40;

__global__ void device_scalar(int* out) {
    int thread = blockIdx.x * blockDim.x + threadIdx.x;
    int value = 7;
    if (threadIdx.x == 0 && blockIdx.x == 0) {
        value = box;  //# conditional load
    }
    out[thread] = value;
    if (threadIdx.x == 0 && blockIdx.x == 0) {
        box = value + 1;
    }
}

int main() {
    return run(device_scalar, 3, [](int i) { return i == 0 ? 40 : 7; });
}
