// CLEAN. The load is moved in front of the loop, its selps stay in the unrolled body and in the rest loop;
// the predicate is computed anew in each.
//@ speculated: kernel=loop_select loads=1 threads="0" gate="selp"
//@ launch: loop_select<<<1, 64>>>(out: i32[1024] = iota, n = 6)
#include "harness.cuh"

__device__ int box = 40;

__global__ void loop_select(int* out, int n) {
    int sum = 0;
    for (int i = 0; i < n; i++) {
        if (threadIdx.x == 0) {
            sum += box;  //# conditional load
        } else {
            sum += i;
        }
    }
    out[threadIdx.x] = sum;
    if (threadIdx.x == 0) {
        box = sum;
    }
}

int main() {
    return run(loop_select, 1, [](int i) { return i == 0 ? 240 : 15; }, 6);
}
