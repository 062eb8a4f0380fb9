// Two threads of the host launch in streams of their own, on the same array; that they are joined later does not help.
// verdict: race
#include "check.h"
#include <thread>

constexpr int COUNT = 256;

__global__ void add_left(int* data) {
    data[threadIdx.x] = 1;
}

__global__ void add_right(int* data) {
    data[threadIdx.x] = 2;  //~ race: inter-kernel error (with line 9)
}

static void launch(void (*kernel)(int*), int* data, cudaStream_t stream) {
    kernel<<<1, COUNT, 0, stream>>>(data);
    CHECK(cudaGetLastError());
}

int main() {
    int* data;
    CHECK(cudaMalloc(&data, COUNT * sizeof(int)));
    cudaStream_t one, other;
    CHECK(cudaStreamCreate(&one));
    CHECK(cudaStreamCreate(&other));
    std::thread left(launch, add_left, data, one);
    std::thread right(launch, add_right, data, other);
    left.join();
    right.join();
    CHECK(cudaDeviceSynchronize());
    std::printf("two threads launched\n");
    CHECK(cudaStreamDestroy(one));
    CHECK(cudaStreamDestroy(other));
    CHECK(cudaFree(data));
    return 0;
}
