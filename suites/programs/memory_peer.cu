// Copies "between devices" work with one device on both sides; access to a device that is not there is an error.
// verdict: clean
#include "check.h"

__global__ void number(int* data) {
    data[threadIdx.x] = threadIdx.x * 3;
}

int main() {
    int count = 0;
    CHECK(cudaGetDeviceCount(&count));
    std::printf("at least one device: %s\n", count >= 1 ? "yes" : "no");
    int possible = -1;
    std::printf("can access a missing device: %s\n", cudaGetErrorName(cudaDeviceCanAccessPeer(&possible, 0, count)));
    std::printf("enable a missing device: %s\n", cudaGetErrorName(cudaDeviceEnablePeerAccess(count, 0)));
    std::printf("enable this device: %s\n", cudaGetErrorName(cudaDeviceEnablePeerAccess(0, 0)));
    std::printf("set a missing device: %s\n", cudaGetErrorName(cudaSetDevice(count)));
    std::printf("last error: %s\n", cudaGetErrorName(cudaGetLastError()));

    int* one;
    int* other;
    CHECK(cudaMalloc(&one, 64 * sizeof(int)));
    CHECK(cudaMalloc(&other, 64 * sizeof(int)));
    number<<<1, 64>>>(one);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpyPeer(other, 0, one, 0, 64 * sizeof(int)));
    CHECK(cudaMemcpyPeerAsync(one + 32, 0, other, 0, 16 * sizeof(int), nullptr));
    int host[64];
    CHECK(cudaMemcpy(host, one, sizeof host, cudaMemcpyDeviceToHost));
    std::printf("%d %d %d\n", host[31], host[33], host[63]);
    CHECK(cudaFree(one));
    CHECK(cudaFree(other));
    return 0;
}
