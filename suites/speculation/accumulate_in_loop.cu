// CLEAN. The conditional load of a loop is moved in front of the loop, with its selp.
//@ speculated: kernel=accumulate_in_loop loads=1 threads="0" gate="selp"
//@ launch: accumulate_in_loop<<<1, 64>>>(out: i32[1024] = iota, n = 6)
#include "harness.cuh"

__global__ void accumulate_in_loop(int* out, int n) {
    __shared__ int box;
    if (threadIdx.x == 0) {
        box = 40;
    }
    __syncthreads();
    int sum = 0;
    for (int i = 0; i < n; i++) {
        if (threadIdx.x == 0) {
            sum += box;  //# conditional load
        }
        out[threadIdx.x + (i + 1) * THREADS] = sum;
    }
    out[threadIdx.x] = sum;
    if (threadIdx.x == 0) {
        box = sum;
    }
    __syncthreads();
    out[threadIdx.x] += box;
}

int main() {
    return run(accumulate_in_loop, 1, [](int i) { return (i == 0 ? 240 : 0) + 240; }, 6);
}
