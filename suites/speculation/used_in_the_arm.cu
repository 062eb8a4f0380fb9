// CLEAN. A flag is tested behind a condition and used again in the body: one use is joined by or.pred, the
// other stands in the arm which that predicate guards.
//@ speculated: kernel=used_in_the_arm loads=1 threads="0" gate="or.pred,branch"
//@ launch: used_in_the_arm<<<1, 64>>>(out: i32[1024] = iota)
#include "harness.cuh"

__global__ void used_in_the_arm(int* out) {
    __shared__ bool ready;
    if (threadIdx.x == 0) {
        ready = out[1];
    }
    __syncthreads();
    bool seen = false;
    if (threadIdx.x == 0) {
        seen = ready;  //# conditional load
    }
    if (seen) {
        out[threadIdx.x] = seen + 40;
    }
    if (threadIdx.x == 0) {
        ready = false;
    }
    __syncthreads();
    out[threadIdx.x] += ready;
}

int main() {
    return run(used_in_the_arm, 1, [](int i) { return i == 0 ? 41 : i; });
}
