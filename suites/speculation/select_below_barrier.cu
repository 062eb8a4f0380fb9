// CLEAN. The selp is moved down below a __syncthreads(), the load stays above: the access happens before
// the barrier, and the write of thread 40 behind the barrier does not race with it.
//@ speculated: kernel=select_below_barrier loads=1 threads="0" gate="selp"
//@ launch: select_below_barrier<<<1, 64>>>(out: i32[1024] = iota, n = 6)
#include "harness.cuh"

__global__ void select_below_barrier(int* out, int n) {
    __shared__ int box;
    if (threadIdx.x == 0) {
        box = 40;
    }
    __syncthreads();
    int value = 1;
    if (threadIdx.x == 0) {
        value = box;  //# conditional load
    }
    if (threadIdx.x == n - 6) {
        box = 7;
    }
    __syncthreads();
    if (threadIdx.x == 40) {
        box = 8;
    }
    if (n > 3) {
        for (int i = 0; i < n; i++) {
            out[threadIdx.x + (i + 1) * THREADS] = n * i;
        }
    }
    out[threadIdx.x] = value * 2;
    __syncthreads();
    out[threadIdx.x] += box;
}

int main() {
    return run(select_below_barrier, 1, [](int i) { return (i == 0 ? 80 : 2) + 8; }, 6);
}
