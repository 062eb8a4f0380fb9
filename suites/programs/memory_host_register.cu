// Ordinary memory of the host is registered, copied asynchronously, used by a kernel in place, and unregistered.
// verdict: clean
#include "check.h"
#include <cstdlib>

constexpr int COUNT = 4096;
constexpr size_t BYTES = COUNT * sizeof(int);

__global__ void add(int* target, const int* numbers) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    target[i] += numbers[i];
}

int main() {
    int* host = static_cast<int*>(std::aligned_alloc(4096, BYTES));
    for (int i = 0; i < COUNT; i++) {
        host[i] = i;
    }
    CHECK(cudaHostRegister(host, BYTES, cudaHostRegisterMapped | cudaHostRegisterPortable));
    cudaError_t again = cudaHostRegister(host, BYTES, cudaHostRegisterDefault);
    std::printf("registered twice: %s\n", cudaGetErrorName(again));
    (void)cudaGetLastError();

    int* mapped;
    int* device;
    CHECK(cudaHostGetDevicePointer(reinterpret_cast<void**>(&mapped), host, 0));
    CHECK(cudaMalloc(&device, BYTES));
    cudaStream_t stream;
    CHECK(cudaStreamCreate(&stream));
    CHECK(cudaMemcpyAsync(device, host, BYTES, cudaMemcpyHostToDevice, stream));
    add<<<16, 256, 0, stream>>>(mapped, device);
    CHECK(cudaGetLastError());
    CHECK(cudaStreamSynchronize(stream));
    std::printf("%d %d\n", host[1], host[COUNT - 1]);

    CHECK(cudaHostUnregister(host));
    cudaError_t twice = cudaHostUnregister(host);
    std::printf("unregistered twice: %s\n", cudaGetErrorName(twice));
    (void)cudaGetLastError();
    CHECK(cudaStreamDestroy(stream));
    CHECK(cudaFree(device));
    std::free(host);
    return 0;
}
