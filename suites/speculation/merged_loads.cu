// CLEAN. Two conditional loads of one variable are merged into one: it counts where either condition is
// true. The threads that read are in warp 0, and __syncwarp() orders them before the write.
//@ speculated: kernel=merged_loads loads=1 threads="0,1,2,3,4,5,6,7" gate="branch,selp"
//@ launch: merged_loads<<<1, 64>>>(out: i32[1024] = iota)
#include "harness.cuh"

__global__ void merged_loads(int* out) {
    __shared__ int box;
    if (threadIdx.x == 0) {
        box = 40;
    }
    __syncthreads();
    if (threadIdx.x < 8) {
        out[threadIdx.x + THREADS] = box;  //# conditional load
    }
    int value = 0;
    if (threadIdx.x == 0) {
        value = box;  //# conditional load
    }
    out[threadIdx.x] = value;
    __syncwarp();
    if (threadIdx.x == 0) {
        box = 2;
    }
    __syncthreads();
    out[threadIdx.x] += box;
}

int main() {
    return run(merged_loads, 1, [](int i) { return (i == 0 ? 40 : 0) + 2; });
}
