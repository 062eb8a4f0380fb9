// CLEAN. The consumer is a warp shuffle: the value of lane 0 goes to the whole warp. Only thread 0 reads
// the box.
//@ speculated: kernel=shuffle loads=1 threads="0" gate="selp"
//@ launch: shuffle<<<1, 64>>>(out: i32[1024] = iota)
#include "harness.cuh"

__global__ void shuffle(int* out) {
    __shared__ int box;
    if (threadIdx.x == 0) {
        box = 40;
    }
    __syncthreads();
    int value = 0;
    if (threadIdx.x == 0) {
        value = box;  //# conditional load
    }
    value = __shfl_sync(0xffffffff, value, 0);
    out[threadIdx.x] = value;
    if (threadIdx.x == 0) {
        box = value + 1;
    }
    __syncthreads();
    out[threadIdx.x] += box;
}

int main() {
    return run(shuffle, 1, [](int i) { return (i < 32 ? 40 : 0) + 41; });
}
