// CLEAN. Thread 0 alone reads the shared scalar and writes it afterwards. The load is moved above the
// condition: all threads run it, a selp on `threadIdx.x == 0` takes its value.
//@ speculated: kernel=shared_scalar loads=1 threads="0" gate="selp"
//@ launch: shared_scalar<<<1, 64>>>(out: i32[1024] = iota)
#include "harness.cuh"

__global__ void shared_scalar(int* out) {
    __shared__ int box;
    if (threadIdx.x == 0) {
        box = 40;
    }
    __syncthreads();
    int value = 7;
    if (threadIdx.x == 0) {
        value = box;  //# conditional load
    }
    out[threadIdx.x] = value;
    if (threadIdx.x == 0) {
        box = value + 1;
    }
    __syncthreads();
    out[threadIdx.x] += box;
}

int main() {
    return run(shared_scalar, 1, [](int i) { return (i == 0 ? 40 : 7) + 41; });
}
