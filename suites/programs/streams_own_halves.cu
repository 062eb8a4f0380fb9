// Kernels in four streams get the same array and each writes a quarter of it, in turns of single words.
// verdict: clean
#include "check.h"

constexpr int STREAMS = 4;
constexpr int COUNT = 1024;

__global__ void fill_every_fourth(int* data, int which) {
    int i = (blockIdx.x * blockDim.x + threadIdx.x) * STREAMS + which;
    data[i] = i * (which + 1);
}

int main() {
    int* data;
    CHECK(cudaMalloc(&data, COUNT * sizeof(int)));
    cudaStream_t streams[STREAMS];
    for (int i = 0; i < STREAMS; i++) {
        CHECK(cudaStreamCreateWithFlags(&streams[i], i % 2 == 0 ? cudaStreamDefault : cudaStreamNonBlocking));
        fill_every_fourth<<<COUNT / STREAMS / 64, 64, 0, streams[i]>>>(data, i);
        CHECK(cudaGetLastError());
    }
    CHECK(cudaDeviceSynchronize());
    int host[COUNT];
    CHECK(cudaMemcpy(host, data, sizeof host, cudaMemcpyDeviceToHost));
    long sum = 0;
    for (int value : host) {
        sum += value;
    }
    std::printf("sum %ld\n", sum);
    for (cudaStream_t stream : streams) {
        CHECK(cudaStreamDestroy(stream));
    }
    CHECK(cudaFree(data));
    return 0;
}
