// CLEAN. A ternary, and `__builtin_expect`: both load before the selection.
//@ speculated: kernel=ternary loads=2 threads="0" gate="selp"
//@ launch: ternary<<<1, 64>>>(out: i32[1024] = iota)
#include "harness.cuh"

__device__ int left = 40;
__device__ int right = 50;

__global__ void ternary(int* out) {
    out[threadIdx.x] = threadIdx.x == 0 ? left : 3;  //# conditional load
    int value = 1;
    if (__builtin_expect(threadIdx.x == 0, 0)) {
        value = right;  //# conditional load
    }
    out[threadIdx.x] += value;
    if (threadIdx.x == 0) {
        left = value;
        right = 5;
    }
}

int main() {
    return run(ternary, 1, [](int i) { return i == 0 ? 90 : 4; });
}
