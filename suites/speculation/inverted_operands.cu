// CLEAN. A negated disjunction: the guard is the negation of an or.pred of three predicates, and the load
// is the second operand of the selp. Threads 0, 2 and 3 read, __syncwarp() orders them before the write.
//@ speculated: kernel=inverted_operands loads=1 threads="0,2,3" gate="selp"
//@ launch: inverted_operands<<<1, 64>>>(out: i32[1024] = iota, first = 5, second = 4)
#include "harness.cuh"

__device__ int box = 40;

__global__ void inverted_operands(int* out, int first, int second) {
    int value = 1;
    if (!(threadIdx.x > 3 || first < second || threadIdx.x == 1)) {
        value = box;  //# conditional load
    }
    out[threadIdx.x] = value;
    __syncwarp();
    if (threadIdx.x == 0) {
        box = 5;
    }
}

int main() {
    return run(inverted_operands, 1, [](int i) { return i == 0 || i == 2 || i == 3 ? 40 : 1; }, 5, 4);
}
