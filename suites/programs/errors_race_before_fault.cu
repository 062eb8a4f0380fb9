// One kernel races, the next one faults: what was found in the first one must not be lost.
// verdict: race, stopped
// exit: 3
#include "check.h"

__global__ void shift(int* data) {
    int next = data[(threadIdx.x + 64) % 128];
    data[threadIdx.x] = next;  //~ race: missing-sync error (with line 7)
}

__global__ void store(int* target) {
    *target = 1;
}

int main() {
    int* data;
    CHECK(cudaMalloc(&data, 128 * sizeof(int)));
    CHECK(cudaMemset(data, 0, 128 * sizeof(int)));
    shift<<<1, 128>>>(data);
    CHECK(cudaGetLastError());
    std::printf("first kernel: %s\n", cudaGetErrorName(cudaDeviceSynchronize()));
    store<<<1, 1>>>(nullptr);
    cudaError_t status = cudaDeviceSynchronize();
    std::printf("second kernel: %s\n", cudaGetErrorName(status));
    return status == cudaErrorIllegalAddress ? 3 : 1;
}
