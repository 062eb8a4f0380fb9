// Functions of the host run in the order of a stream, between a copy and another copy; one of them is a callback of old.
// verdict: clean
#include "check.h"

constexpr int COUNT = 128;
constexpr size_t BYTES = COUNT * sizeof(int);

__global__ void fill(int* data) {
    data[threadIdx.x] = threadIdx.x;
}

static void CUDART_CB add_one(void* argument) {
    int* numbers = static_cast<int*>(argument);
    for (int i = 0; i < COUNT; i++) {
        numbers[i] += 1;
    }
}

static void CUDART_CB triple(cudaStream_t, cudaError_t status, void* argument) {
    int* numbers = static_cast<int*>(argument);
    for (int i = 0; i < COUNT; i++) {
        numbers[i] = status == cudaSuccess ? numbers[i] * 3 : -1;
    }
}

int main() {
    int *data, *host;
    CHECK(cudaMalloc(&data, BYTES));
    CHECK(cudaMallocHost(&host, BYTES));
    cudaStream_t stream;
    CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    fill<<<1, COUNT, 0, stream>>>(data);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpyAsync(host, data, BYTES, cudaMemcpyDeviceToHost, stream));
    CHECK(cudaLaunchHostFunc(stream, add_one, host));
    CHECK(cudaStreamAddCallback(stream, triple, host, 0));
    CHECK(cudaMemcpyAsync(data, host, BYTES, cudaMemcpyHostToDevice, stream));
    CHECK(cudaStreamSynchronize(stream));
    int result[COUNT];
    CHECK(cudaMemcpy(result, data, BYTES, cudaMemcpyDeviceToHost));
    std::printf("%d %d\n", result[0], result[COUNT - 1]);
    CHECK(cudaStreamDestroy(stream));
    CHECK(cudaFreeHost(host));
    CHECK(cudaFree(data));
    return 0;
}
