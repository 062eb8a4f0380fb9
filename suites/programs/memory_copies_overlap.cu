// Two asynchronous copies in two streams write ranges that overlap by some bytes; neither of them is a kernel.
// verdict: race
#include "check.h"

int main() {
    char* device;
    char* host;
    CHECK(cudaMalloc(&device, 4096));
    CHECK(cudaMallocHost(&host, 8192));
    for (int i = 0; i < 8192; i++) {
        host[i] = static_cast<char>(i / 4096);
    }
    cudaStream_t one, other;
    CHECK(cudaStreamCreate(&one));
    CHECK(cudaStreamCreate(&other));
    CHECK(cudaMemcpyAsync(device, host, 2048, cudaMemcpyDefault, one));
    CHECK(cudaMemcpyAsync(device + 2040, host + 4096, 2056, cudaMemcpyDefault, other));  //~ race: inter-kernel error (with line 16)
    CHECK(cudaDeviceSynchronize());
    char ends[2];
    CHECK(cudaMemcpy(ends, device, 1, cudaMemcpyDeviceToHost));
    CHECK(cudaMemcpy(ends + 1, device + 4095, 1, cudaMemcpyDeviceToHost));
    std::printf("first byte %d, last byte %d\n", ends[0], ends[1]);
    CHECK(cudaStreamDestroy(one));
    CHECK(cudaStreamDestroy(other));
    CHECK(cudaFreeHost(host));
    CHECK(cudaFree(device));
    return 0;
}
