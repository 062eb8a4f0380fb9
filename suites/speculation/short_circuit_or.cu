// CLEAN. The right side of || is loaded and compared by all threads; or.pred joins it with the left side,
// so it counts where the left side is false.
//@ speculated: kernel=short_circuit_or loads=1 threads="0" gate="or.pred"
//@ launch: short_circuit_or<<<1, 64>>>(out: i32[1024] = iota)
#include "harness.cuh"

__device__ int box = 40;

__global__ void short_circuit_or(int* out) {
    bool found = threadIdx.x != 0 || box > 50;  //# conditional load
    out[threadIdx.x] = found;
    if (threadIdx.x == 0) {
        box = 2;
    }
}

int main() {
    return run(short_circuit_or, 1, [](int i) { return i == 0 ? 0 : 1; });
}
