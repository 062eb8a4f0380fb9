// Two streams fill two arrays; the host waits for one of them only and launches a kernel that reads both.
// verdict: race
#include "check.h"

constexpr int COUNT = 256;

__global__ void fill_left(int* data) {
    data[threadIdx.x] = threadIdx.x;
}

__global__ void fill_right(int* data) {
    data[threadIdx.x] = threadIdx.x * 2;
}

__global__ void add(int* target, const int* left, const int* right) {
    int l = left[threadIdx.x];
    int r = right[threadIdx.x];  //~ race: inter-kernel error (with line 12)
    target[threadIdx.x] = l + r;
}

int main() {
    int *left, *right, *target;
    CHECK(cudaMalloc(&left, COUNT * sizeof(int)));
    CHECK(cudaMalloc(&right, COUNT * sizeof(int)));
    CHECK(cudaMalloc(&target, COUNT * sizeof(int)));
    cudaStream_t one, other, third;
    CHECK(cudaStreamCreateWithFlags(&one, cudaStreamNonBlocking));
    CHECK(cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking));
    CHECK(cudaStreamCreateWithFlags(&third, cudaStreamNonBlocking));
    fill_left<<<1, COUNT, 0, one>>>(left);
    CHECK(cudaGetLastError());
    fill_right<<<1, COUNT, 0, other>>>(right);
    CHECK(cudaGetLastError());
    CHECK(cudaStreamSynchronize(one));
    add<<<1, COUNT, 0, third>>>(target, left, right);
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
    std::printf("added %d numbers\n", COUNT);
    CHECK(cudaStreamDestroy(one));
    CHECK(cudaStreamDestroy(other));
    CHECK(cudaStreamDestroy(third));
    CHECK(cudaFree(left));
    CHECK(cudaFree(right));
    CHECK(cudaFree(target));
    return 0;
}
