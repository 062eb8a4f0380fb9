// Runs a racy kernel, says its process number, and then never ends: on the host or in a second kernel.
#include <cstdio>
#include <cstring>
#include <cuda_runtime.h>
#include <unistd.h>

__global__ void rotate(int* numbers) {
    __shared__ int tile[64];
    tile[threadIdx.x] = numbers[threadIdx.x];
    numbers[threadIdx.x] = tile[(threadIdx.x + 32) % 64];  //~ race: missing-sync (with line 9)
}

__global__ void wait_for_ever(volatile int* number) {
    while (*number == 0) {
    }
}

int main(int, char** arguments) {
    int* numbers;
    int* zero;
    cudaMalloc(&numbers, 64 * sizeof(int));
    cudaMalloc(&zero, sizeof(int));
    cudaMemset(numbers, 0, 64 * sizeof(int));
    cudaMemset(zero, 0, sizeof(int));
    rotate<<<1, 64>>>(numbers);
    cudaDeviceSynchronize();
    std::printf("%d\n", static_cast<int>(getpid()));
    std::fflush(stdout);
    if (std::strcmp(arguments[1], "kernel") == 0) {
        wait_for_ever<<<1, 64>>>(zero);
        cudaDeviceSynchronize();
    }
    for (;;) {
        pause();
    }
}
