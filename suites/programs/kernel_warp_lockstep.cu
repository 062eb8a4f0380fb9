// A warp shifts numbers through shared memory and relies on its lanes' running in step.
// verdict: race
#include "check.h"

__global__ void shift(int* data) {
    __shared__ int cells[32];
    cells[threadIdx.x] = data[threadIdx.x];
    data[threadIdx.x] = cells[(threadIdx.x + 1) % 32];  //~ race: warp-sync error (with line 7)
}

int main() {
    int* data;
    CHECK(cudaMalloc(&data, 32 * sizeof(int)));
    CHECK(cudaMemset(data, 0, 32 * sizeof(int)));
    shift<<<1, 32>>>(data);
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
    std::printf("shifted a warp\n");
    CHECK(cudaFree(data));
    return 0;
}
