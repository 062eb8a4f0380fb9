// CLEAN. One load feeds two selps with different predicates: it counts where either is true.
//@ speculated: kernel=two_selects loads=1 threads="0,5" gate="selp"
//@ launch: two_selects<<<1, 64>>>(out: i32[1024] = iota)
#include "harness.cuh"

__device__ int box = 40;

__global__ void two_selects(int* out) {
    int first = 0;
    int second = 0;
    if (threadIdx.x == 0) {
        first = box;  //# conditional load
    }
    if (threadIdx.x == 5) {
        second = box;  //# conditional load
    }
    out[threadIdx.x] = first + 2 * second;
    __syncwarp();
    if (threadIdx.x == 5) {
        box = 1;
    }
}

int main() {
    return run(two_selects, 1, [](int i) { return i == 0 ? 40 : i == 5 ? 80 : 0; });
}
