// The legacy default stream waits for streams with default flags, and they wait for it: no event is needed.
// verdict: clean
#include "check.h"

constexpr int COUNT = 256;

__global__ void fill(int* data) {
    data[threadIdx.x] = threadIdx.x;
}

__global__ void reverse(int* target, const int* data) {
    target[threadIdx.x] = data[COUNT - 1 - threadIdx.x];
}

int main() {
    int *first, *second, *third;
    CHECK(cudaMalloc(&first, COUNT * sizeof(int)));
    CHECK(cudaMalloc(&second, COUNT * sizeof(int)));
    CHECK(cudaMalloc(&third, COUNT * sizeof(int)));
    cudaStream_t one, other;
    CHECK(cudaStreamCreate(&one));
    CHECK(cudaStreamCreateWithFlags(&other, cudaStreamDefault));
    fill<<<1, COUNT, 0, one>>>(first);
    CHECK(cudaGetLastError());
    reverse<<<1, COUNT>>>(second, first);
    CHECK(cudaGetLastError());
    reverse<<<1, COUNT, 0, other>>>(third, second);
    CHECK(cudaGetLastError());
    int host[COUNT];
    // A copy that names no stream is in the default stream, too.
    CHECK(cudaMemcpy(host, third, sizeof host, cudaMemcpyDeviceToHost));
    std::printf("%d %d\n", host[1], host[COUNT - 1]);
    CHECK(cudaStreamDestroy(one));
    CHECK(cudaStreamDestroy(other));
    CHECK(cudaFree(first));
    CHECK(cudaFree(second));
    CHECK(cudaFree(third));
    return 0;
}
