// CLEAN. The right side of && is loaded and compared by all threads; and.pred joins it with the left side.
//@ speculated: kernel=short_circuit_and loads=1 threads="0" gate="and.pred"
//@ launch: short_circuit_and<<<1, 64>>>(out: i32[1024] = iota)
#include "harness.cuh"

__device__ int box = 40;

__global__ void short_circuit_and(int* out) {
    bool found = threadIdx.x == 0 && box > 3;  //# conditional load
    out[threadIdx.x] = found;
    if (threadIdx.x == 0) {
        box = 2;
    }
}

int main() {
    return run(short_circuit_and, 1, [](int i) { return i == 0 ? 1 : 0; });
}
