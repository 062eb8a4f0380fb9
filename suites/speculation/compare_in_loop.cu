// CLEAN. The flag is moved in front of the loop, and in the loop some of the conditions become an integer
// `or` of threadIdx.x and a difference.
//@ speculated: kernel=compare_in_loop loads=1 threads="0" gate="or.b32,or.pred"
//@ launch: compare_in_loop<<<1, 64>>>(out: i32[1024] = iota, n = 9)
#include "harness.cuh"

__global__ void compare_in_loop(int* out, int n) {
    __shared__ int wanted;
    if (threadIdx.x == 0) {
        wanted = 5;
    }
    __syncthreads();
    for (int i = 0; i < n; i++) {
        if (threadIdx.x == 0 && wanted == i) {  //# conditional load
            out[i + THREADS] = 100;
        }
        out[(i + 2) * THREADS + threadIdx.x] = i;
    }
    if (threadIdx.x == 0) {
        wanted = 9;
    }
    __syncthreads();
    out[threadIdx.x] = wanted;
}

int main() {
    return run(compare_in_loop, 1, [](int) { return 9; }, 9);
}
