// The host overwrites pinned memory that an asynchronous copy to the device may still be reading.
// verdict: race
#include "check.h"

constexpr int COUNT = 1024;
constexpr size_t BYTES = COUNT * sizeof(int);

int main() {
    int* host;
    int* device;
    CHECK(cudaMallocHost(&host, BYTES));
    CHECK(cudaMalloc(&device, BYTES));
    cudaStream_t stream;
    CHECK(cudaStreamCreate(&stream));
    for (int i = 0; i < COUNT; i++) {
        host[i] = i;
    }
    CHECK(cudaMemcpyAsync(device, host, BYTES, cudaMemcpyHostToDevice, stream));
    host[0] = -1;  //~ race: inter-kernel error (with line 18)
    CHECK(cudaStreamSynchronize(stream));
    int last = 0;
    CHECK(cudaMemcpy(&last, device + COUNT - 1, sizeof last, cudaMemcpyDeviceToHost));
    std::printf("last number: %d\n", last);
    CHECK(cudaStreamDestroy(stream));
    CHECK(cudaFree(device));
    CHECK(cudaFreeHost(host));
    return 0;
}
