// The other way round: a copy in the legacy default stream does not wait for a kernel in a non-blocking stream.
// verdict: race
#include "check.h"

constexpr int COUNT = 256;

__global__ void fill(int* data) {
    data[threadIdx.x] = threadIdx.x;
}

int main() {
    int* data;
    CHECK(cudaMalloc(&data, COUNT * sizeof(int)));
    cudaStream_t stream;
    CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    fill<<<1, COUNT, 0, stream>>>(data);
    CHECK(cudaGetLastError());
    int host[COUNT];
    CHECK(cudaMemcpy(host, data, sizeof host, cudaMemcpyDeviceToHost));  //~ race: inter-kernel error (with line 8)
    CHECK(cudaStreamSynchronize(stream));
    CHECK(cudaMemcpy(host, data, sizeof host, cudaMemcpyDeviceToHost));
    std::printf("after the wait: %d\n", host[COUNT - 1]);
    CHECK(cudaStreamDestroy(stream));
    CHECK(cudaFree(data));
    return 0;
}
