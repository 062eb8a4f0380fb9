// Two units linked on the device (-rdc): a function of the other unit leaves out a barrier.
// verdict: race
// flags: -rdc=true
// sources: parts/build_two_units_racy_part.cu
#include "check.h"

__device__ int neighbour(int* cells, int value);

__global__ void exchange(int* out) {
    __shared__ int cells[128];
    out[threadIdx.x] = neighbour(cells, threadIdx.x);
}

int main() {
    int* out;
    CHECK(cudaMalloc(&out, 128 * sizeof(int)));
    exchange<<<1, 128>>>(out);
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
    std::printf("exchanged\n");
    CHECK(cudaFree(out));
    return 0;
}
