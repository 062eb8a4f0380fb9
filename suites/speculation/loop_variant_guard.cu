// CLEAN. The condition changes with the loop, the load does not and is moved in front of it: it counts for
// a thread if the condition is true in any iteration. Threads 0 to 3 read, __syncwarp() orders them before
// the write.
//@ speculated: kernel=loop_variant_guard loads=1 threads="0-3" gate="selp"
//@ launch: loop_variant_guard<<<1, 64>>>(out: i32[1024] = iota, n = 4)
#include "harness.cuh"

__global__ void loop_variant_guard(int* out, int n) {
    __shared__ int box;
    if (threadIdx.x == 0) {
        box = 40;
    }
    __syncthreads();
    int sum = 0;
    for (int i = 0; i < n; i++) {
        if (threadIdx.x == i) {
            sum += box;  //# conditional load
        } else {
            sum ^= i;
        }
    }
    out[threadIdx.x] = sum;
    __syncwarp();
    if (threadIdx.x == 0) {
        box = n;
    }
    __syncthreads();
    out[threadIdx.x] += box;
}

int main() {
    return run(loop_variant_guard, 1, [](int i) { return i < 4 ? 44 + i : 4; }, 4);
}
