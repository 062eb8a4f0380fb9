// Asynchronous copies between pinned memory and the device, each waited for before the host touches the memory.
// verdict: clean
#include "check.h"

constexpr int COUNT = 1024;
constexpr size_t BYTES = COUNT * sizeof(int);

__global__ void negate(int* numbers) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    numbers[i] = -numbers[i];
}

int main() {
    int* host;
    int* device;
    CHECK(cudaMallocHost(&host, BYTES));
    CHECK(cudaMalloc(&device, BYTES));
    cudaStream_t stream;
    cudaEvent_t uploaded;
    CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    CHECK(cudaEventCreateWithFlags(&uploaded, cudaEventDisableTiming));
    for (int round = 1; round <= 3; round++) {
        for (int i = 0; i < COUNT; i++) {
            host[i] = i * round;
        }
        CHECK(cudaMemcpyAsync(device, host, BYTES, cudaMemcpyHostToDevice, stream));
        CHECK(cudaEventRecord(uploaded, stream));
        negate<<<4, 256, 0, stream>>>(device);
        CHECK(cudaGetLastError());
        // The upload is done: the host may use the memory again, though the kernel may still run.
        CHECK(cudaEventSynchronize(uploaded));
        host[0] = 1234;
        CHECK(cudaMemcpyAsync(host, device, BYTES, cudaMemcpyDeviceToHost, stream));
        CHECK(cudaStreamSynchronize(stream));
        std::printf("round %d: %d %d\n", round, host[0], host[COUNT - 1]);
    }
    CHECK(cudaEventDestroy(uploaded));
    CHECK(cudaStreamDestroy(stream));
    CHECK(cudaFree(device));
    CHECK(cudaFreeHost(host));
    return 0;
}
