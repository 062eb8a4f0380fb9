// CLEAN. The loaded value decides about a break and is also the value of the counter behind it: a mov in
// front of the branch copies it, and only the taken edge uses the copy.
//@ speculated: kernel=loop_break loads=1 threads="0" gate="and.pred,branch"
//@ launch: loop_break<<<1, 64>>>(out: i32[1024] = iota, n = 9)
#include "harness.cuh"

__global__ void loop_break(int* out, int n) {
    __shared__ int wanted;
    if (threadIdx.x == 0) {
        wanted = 5;
    }
    __syncthreads();
    int i;
    for (i = 0; i < n; i++) {
        out[threadIdx.x + (i + 1) * THREADS] = i;
        if (threadIdx.x == 0 && wanted == i) {  //# conditional load
            break;
        }
    }
    out[threadIdx.x] = i;
    if (threadIdx.x == 0) {
        wanted = 3;
    }
    __syncthreads();
    out[threadIdx.x] += wanted;
}

int main() {
    return run(loop_break, 1, [](int i) { return (i == 0 ? 5 : 9) + 3; }, 9);
}
