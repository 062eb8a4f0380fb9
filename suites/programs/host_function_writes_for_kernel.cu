// A function of the host writes pinned memory that the next kernel of its stream reads.
// verdict: clean
#include "check.h"

constexpr int COUNT = 128;

__global__ void reverse(int* target, const int* numbers) {
    target[threadIdx.x] = numbers[COUNT - 1 - threadIdx.x];
}

static void CUDART_CB number(void* argument) {
    int* numbers = static_cast<int*>(argument);
    for (int i = 0; i < COUNT; i++) {
        numbers[i] = 4 * i;
    }
}

int main() {
    int *numbers, *target;
    CHECK(cudaMallocHost(&numbers, COUNT * sizeof(int)));
    CHECK(cudaMalloc(&target, COUNT * sizeof(int)));
    for (int i = 0; i < COUNT; i++) {
        numbers[i] = -1;
    }
    cudaStream_t one, other;
    CHECK(cudaStreamCreateWithFlags(&one, cudaStreamNonBlocking));
    CHECK(cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking));
    CHECK(cudaLaunchHostFunc(one, number, numbers));
    reverse<<<1, COUNT, 0, one>>>(target, numbers);
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
    int host[COUNT];
    CHECK(cudaMemcpy(host, target, sizeof host, cudaMemcpyDeviceToHost));
    std::printf("%d %d\n", host[0], host[COUNT - 1]);
    CHECK(cudaStreamDestroy(one));
    CHECK(cudaStreamDestroy(other));
    CHECK(cudaFreeHost(numbers));
    CHECK(cudaFree(target));
    return 0;
}
