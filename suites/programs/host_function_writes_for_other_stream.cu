// A function of the host writes pinned memory that a kernel of another stream reads.
// verdict: race
#include "check.h"

constexpr int COUNT = 128;

__global__ void reverse(int* target, const int* numbers) {
    target[threadIdx.x] = numbers[COUNT - 1 - threadIdx.x];
}

static void CUDART_CB number(void* argument) {
    int* numbers = static_cast<int*>(argument);
    for (int i = 0; i < COUNT; i++) {
        numbers[i] = 4 * i;  //~ race: inter-kernel error (with line 8)
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
    reverse<<<1, COUNT, 0, other>>>(target, numbers);
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
    std::printf("the function wrote %d\n", numbers[COUNT - 1]);
    CHECK(cudaStreamDestroy(one));
    CHECK(cudaStreamDestroy(other));
    CHECK(cudaFreeHost(numbers));
    CHECK(cudaFree(target));
    return 0;
}
