// CLEAN. A vector load: every element has a selp of its own.
//@ speculated: kernel=vector loads=1 threads="0" gate="selp"
//@ launch: vector<<<1, 64>>>(out: i32[1024] = iota)
#include "harness.cuh"

__device__ int4 box = {1, 2, 3, 4};

__global__ void vector(int* out) {
    int4 value = {5, 6, 7, 8};
    if (threadIdx.x == 0) {
        value = box;  //# conditional load
    }
    reinterpret_cast<int4*>(out)[threadIdx.x] = value;
    if (threadIdx.x == 0) {
        box = int4{9, 9, 9, 9};
    }
}

int main() {
    return run(vector, 1, [](int i) { return i < 4 ? i + 1 : 5 + i % 4; });
}
