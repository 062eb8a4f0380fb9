// CLEAN. Two nested conditions are two selps, one behind the other; the first alone is true in both warps.
// The threads that read are in warp 0, and __syncwarp() orders them before the write.
//@ speculated: kernel=nested loads=1 threads="0,2,4,6,8,10,12,14,16,18,20,22,24,26,28,30" gate="selp,selp"
//@ launch: nested<<<1, 64>>>(out: i32[1024] = iota)
#include "harness.cuh"

__device__ int box = 40;

__global__ void nested(int* out) {
    int value = 1;
    if (threadIdx.x < 32) {
        value = 2;
        if (threadIdx.x % 2 == 0) {
            value = box;  //# conditional load
        }
    }
    out[threadIdx.x] = value;
    __syncwarp();
    if (threadIdx.x == 0) {
        box = 5;
    }
}

int main() {
    return run(nested, 1, [](int i) { return i >= 32 ? 1 : i % 2 == 0 ? 40 : 2; });
}
