// CLEAN. As shared_scalar.cu, with an element of a shared array at a constant index.
//@ speculated: kernel=shared_element loads=1 threads="3" gate="selp"
//@ launch: shared_element<<<1, 64>>>(out: i32[1024] = iota)
#include "harness.cuh"

__global__ void shared_element(int* out) {
    __shared__ int boxes[THREADS];
    boxes[threadIdx.x] = out[threadIdx.x];
    __syncthreads();
    int value = 7;
    if (threadIdx.x == 3) {
        value = boxes[3];  //# conditional load
    }
    out[threadIdx.x] = value;
    if (threadIdx.x == 3) {
        boxes[3] = value + 10;
    }
    __syncthreads();
    out[threadIdx.x] += boxes[threadIdx.x];
}

int main() {
    return run(shared_element, 1, [](int i) { return i == 3 ? 3 + 13 : 7 + i; });
}
