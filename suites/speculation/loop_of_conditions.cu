// CLEAN. A loop condition that is chosen by a ternary: predicates become integers, a selp of integers
// chooses, a mask and a comparison make a predicate again.
//@ speculated: kernel=loop_of_conditions loads=1 threads="0" gate="selp"
//@ launch: loop_of_conditions<<<1, 64>>>(out: i32[1024] = iota, n = 9)
#include "harness.cuh"

__global__ void loop_of_conditions(int* out, int n) {
    __shared__ int wanted;
    if (threadIdx.x == 0) {
        wanted = 5;
    }
    __syncthreads();
    int i = 0;
    do {
        out[(i + 1) * THREADS + threadIdx.x] = i;
        i++;
    } while (threadIdx.x == 0 ? wanted > i : i < n);  //# conditional load
    out[threadIdx.x] = i;
    if (threadIdx.x == 0) {
        wanted = 4;
    }
    __syncthreads();
    out[threadIdx.x] += wanted;
}

int main() {
    return run(loop_of_conditions, 1, [](int i) { return (i == 0 ? 5 : 9) + 4; }, 9);
}
