// CLEAN. The consumer of the and.pred is a vote.
//@ speculated: kernel=ballot loads=1 threads="0" gate="and.pred"
//@ launch: ballot<<<1, 64>>>(out: i32[1024] = iota)
#include "harness.cuh"

__global__ void ballot(int* out) {
    __shared__ int box;
    if (threadIdx.x == 0) {
        box = 40;
    }
    __syncthreads();
    bool found = threadIdx.x == 0 && box > 3;  //# conditional load
    unsigned lanes = __ballot_sync(0xffffffff, found);
    out[threadIdx.x] = lanes;
    if (threadIdx.x == 0) {
        box = lanes;
    }
    __syncthreads();
    out[threadIdx.x] += box;
}

int main() {
    return run(ballot, 1, [](int i) { return (i < 32 ? 1 : 0) + 1; });
}
