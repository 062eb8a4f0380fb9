// CLEAN. The load is moved in front of the loop and above the branch in it: there is no selp, its uses
// stand in one arm of the branch.
//@ speculated: kernel=loop_branch loads=1 threads="0" gate="branch"
//@ launch: loop_branch<<<1, 64>>>(out: i32[1024] = iota, n = 6)
#include "harness.cuh"

__global__ void loop_branch(int* out, int n) {
    __shared__ int box;
    if (threadIdx.x == 0) {
        box = 40;
    }
    __syncthreads();
    for (int i = 0; i < n; i++) {
        if (threadIdx.x == 0) {
            out[i + THREADS] = box;  //# conditional load
        } else {
            out[threadIdx.x + (i + 2) * THREADS] = i;
        }
    }
    if (threadIdx.x == 0) {
        box = n;
    }
    __syncthreads();
    out[threadIdx.x] = box;
}

int main() {
    return run(loop_branch, 1, [](int) { return 6; }, 6);
}
