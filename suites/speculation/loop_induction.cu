// CLEAN. Two loads are moved in front of two nested loops. One feeds integers that the loop carries along
// (strength reduction), used in one arm only.
//@ speculated: kernel=loop_induction loads=1 threads="0" gate="branch"
//@ speculated: kernel=loop_induction loads=1 threads="1" gate="branch"
//@ launch: loop_induction<<<1, 64>>>(out: i32[1024] = iota, n = 2, m = 5)
#include "harness.cuh"

__global__ void loop_induction(int* out, int n, int m) {
    __shared__ int boxes[2];
    if (threadIdx.x < 2) {
        boxes[threadIdx.x] = 40;
    }
    __syncthreads();
    float sum = 0;
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < m; j++) {
            if (threadIdx.x == 0) {
                sum += boxes[0] * j;  //# conditional load
            } else if (threadIdx.x == 1) {
                sum += boxes[1];  //# conditional load
            } else {
                sum -= i;
            }
        }
    }
    out[threadIdx.x] = sum;
    if (threadIdx.x < 2) {
        boxes[threadIdx.x] = 3;
    }
    __syncthreads();
    out[threadIdx.x] += boxes[threadIdx.x % 2];
}

int main() {
    return run(loop_induction, 1, [](int i) { return (i == 0 ? 800 : i == 1 ? 400 : -5) + 3; }, 2, 5);
}
