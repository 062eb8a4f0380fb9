// CLEAN. The load of a loop condition is moved in front of the loop; and.pred in the loop joins it with a
// predicate that is computed there.
//@ speculated: kernel=while_condition loads=1 threads="0" gate="and.pred"
//@ launch: while_condition<<<1, 64>>>(out: i32[1024] = iota, n = 50)
#include "harness.cuh"

__device__ int box = 40;

__global__ void while_condition(int* out, int n) {
    int i = 0;
    while (i < n && (threadIdx.x != 0 || box > i)) {  //# conditional load
        i++;
    }
    out[threadIdx.x] = i;
    if (threadIdx.x == 0) {
        box = i;
    }
}

int main() {
    return run(while_condition, 1, [](int i) { return i == 0 ? 40 : 50; }, 50);
}
