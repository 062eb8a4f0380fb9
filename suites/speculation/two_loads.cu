// CLEAN. Two loads under one condition meet in an addition before the selp.
//@ speculated: kernel=two_loads loads=2 threads="0" gate="selp"
//@ launch: two_loads<<<1, 64>>>(out: i32[1024] = iota, x = 3)
#include "harness.cuh"

__device__ int boxes[16] = {10, 11, 12, 13, 14, 15, 16, 17};

__global__ void two_loads(int* out, int x) {
    int value = x;
    if (threadIdx.x == 0) {
        value = boxes[0] + boxes[7];  //# conditional load
    }
    out[threadIdx.x] = value;
    if (threadIdx.x == 0) {
        boxes[0] = value;
        boxes[7] = 4;
    }
}

int main() {
    return run(two_loads, 1, [](int i) { return i == 0 ? 27 : 3; }, 3);
}
