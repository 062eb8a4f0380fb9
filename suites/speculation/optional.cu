// CLEAN. A value that is there or not: the test of the flag and the value behind it are both loaded by all
// threads.
//@ speculated: kernel=optional loads=2 threads="0" gate="selp,selp"
//@ launch: optional<<<1, 64>>>(out: i32[1024] = iota)
#include "harness.cuh"

struct Optional {
    int value;
    bool there;
    __device__ int value_or(int other) const {
        return there ? value : other;  //# conditional load
    }
};
__device__ Optional box = {40, true};

__global__ void optional(int* out) {
    out[threadIdx.x] = threadIdx.x == 0 ? box.value_or(3) : 5;  //# conditional load
    if (threadIdx.x == 0) {
        box.value = 2;
        box.there = false;
    }
}

int main() {
    return run(optional, 1, [](int i) { return i == 0 ? 40 : 5; });
}
