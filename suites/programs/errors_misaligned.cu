// A kernel reads four bytes from an odd address; the error comes with the next wait, by its own name.
// verdict: clean, stopped
#include "check.h"

__global__ void load(const char* data, int* out) {
    out[threadIdx.x] = *reinterpret_cast<const volatile int*>(data + threadIdx.x);
}

int main() {
    char* data;
    int* out;
    CHECK(cudaMalloc(&data, 64));
    CHECK(cudaMalloc(&out, 64 * sizeof(int)));
    CHECK(cudaMemset(data, 0, 64));
    load<<<1, 1>>>(data, out);
    std::printf("aligned: %s\n", cudaGetErrorName(cudaDeviceSynchronize()));
    load<<<1, 2>>>(data, out);
    std::printf("misaligned: %s\n", cudaGetErrorName(cudaDeviceSynchronize()));
    std::printf("afterwards: %s\n", cudaGetErrorName(cudaFree(data)));
    return 0;
}
