// CLEAN. The selp is moved down into a later block, behind loops and stores; the load stays.
//@ speculated: kernel=sunk_select loads=1 threads="0" gate="selp"
//@ launch: sunk_select<<<1, 64>>>(out: i32[1024] = iota, n = 6)
#include "harness.cuh"

__device__ int box = 40;

__global__ void sunk_select(int* out, int n) {
    int value = 1;
    if (threadIdx.x == 0) {
        value = box;  //# conditional load
    }
    if (n > 3) {
        for (int i = 0; i < n; i++) {
            out[threadIdx.x + (i + 1) * THREADS] = n * i;
        }
    }
    out[threadIdx.x] = value * 2;
    if (threadIdx.x == 0) {
        box = 4;
    }
}

int main() {
    return run(sunk_select, 1, [](int i) { return i == 0 ? 80 : 2; }, 6);
}
