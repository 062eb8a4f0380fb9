// Kernels write host memory through its address on the device; the host reads after waiting.
// verdict: clean
#include "check.h"

constexpr int COUNT = 512;

__global__ void fill(int* numbers, int factor) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    numbers[i] = i * factor;
}

int main() {
    int* host;
    CHECK(cudaHostAlloc(&host, COUNT * sizeof(int), cudaHostAllocMapped | cudaHostAllocPortable));
    unsigned flags = 0;
    CHECK(cudaHostGetFlags(&flags, host));
    std::printf("mapped: %s, portable: %s\n", flags & cudaHostAllocMapped ? "yes" : "no",
                flags & cudaHostAllocPortable ? "yes" : "no");

    int* device;
    CHECK(cudaHostGetDevicePointer(reinterpret_cast<void**>(&device), host, 0));
    std::printf("one address for both: %s\n", device == host ? "yes" : "no");

    fill<<<4, 128>>>(device, 3);
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
    std::printf("%d %d\n", host[1], host[COUNT - 1]);

    cudaStream_t stream;
    CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    host[0] = 7;  // no kernel is in flight
    fill<<<4, 128, 0, stream>>>(device, 5);
    CHECK(cudaGetLastError());
    CHECK(cudaStreamSynchronize(stream));
    std::printf("%d %d %d\n", host[0], host[1], host[COUNT - 1]);
    CHECK(cudaStreamDestroy(stream));
    CHECK(cudaFreeHost(host));
    return 0;
}
