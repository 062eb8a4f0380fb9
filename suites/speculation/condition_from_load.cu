// CLEAN. The condition of one speculated load contains another speculated load.
//@ speculated: kernel=condition_from_load loads=2 threads="0" gate="and.pred,selp"
//@ launch: condition_from_load<<<1, 64>>>(out: i32[1024] = iota)
#include "harness.cuh"

__device__ int limit = 4;
__device__ int box = 40;

__global__ void condition_from_load(int* out) {
    int value = 0;
    if (threadIdx.x == 0 && limit > 3) {  //# conditional load
        value = box;  //# conditional load
    }
    out[threadIdx.x] = value;
    if (threadIdx.x == 0) {
        box = 3;
        limit = 2;
    }
}

int main() {
    return run(condition_from_load, 1, [](int i) { return i == 0 ? 40 : 0; });
}
