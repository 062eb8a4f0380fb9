// cudaDeviceSynchronize orders what two non-blocking streams do before and after it.
// verdict: clean
#include "check.h"

constexpr int COUNT = 256;

__global__ void fill(int* data, int factor) {
    data[threadIdx.x] = threadIdx.x * factor;
}

__global__ void add(int* target, const int* left, const int* right) {
    target[threadIdx.x] = left[threadIdx.x] + right[COUNT - 1 - threadIdx.x];
}

int main() {
    int *left, *right, *target;
    CHECK(cudaMalloc(&left, COUNT * sizeof(int)));
    CHECK(cudaMalloc(&right, COUNT * sizeof(int)));
    CHECK(cudaMalloc(&target, COUNT * sizeof(int)));
    cudaStream_t one, other;
    CHECK(cudaStreamCreateWithFlags(&one, cudaStreamNonBlocking));
    CHECK(cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking));
    fill<<<1, COUNT, 0, one>>>(left, 2);
    CHECK(cudaGetLastError());
    fill<<<1, COUNT, 0, other>>>(right, 3);
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
    add<<<1, COUNT, 0, one>>>(target, left, right);
    CHECK(cudaGetLastError());
    int host[COUNT];
    CHECK(cudaMemcpyAsync(host, target, sizeof host, cudaMemcpyDeviceToHost, one));
    CHECK(cudaStreamSynchronize(one));
    std::printf("%d %d\n", host[0], host[COUNT - 1]);
    CHECK(cudaStreamDestroy(one));
    CHECK(cudaStreamDestroy(other));
    CHECK(cudaFree(left));
    CHECK(cudaFree(right));
    CHECK(cudaFree(target));
    return 0;
}
