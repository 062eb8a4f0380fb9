// CLEAN. The loaded value is compared and selected: the predicate of the selp is the condition and the
// comparison together, so it depends on the load itself.
//@ speculated: kernel=minimum loads=1 threads="0" gate="and.pred,selp"
//@ launch: minimum<<<1, 64>>>(out: i32[1024] = iota, x = 50)
#include "harness.cuh"

__device__ int box = 40;

__global__ void minimum(int* out, int x) {
    if (threadIdx.x == 0) {
        x = min(x, box);  //# conditional load
    }
    out[threadIdx.x] = x;
    if (threadIdx.x == 0) {
        box = 5;
    }
}

int main() {
    return run(minimum, 1, [](int i) { return i == 0 ? 40 : 50; }, 50);
}
