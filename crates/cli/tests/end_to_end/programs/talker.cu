// Says things that a careless wrapper would spoil, runs a clean kernel, and returns 7.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda_runtime.h>

__global__ void square(int* number) {
    if (threadIdx.x == 0) {
        *number = *number * *number;
    }
}

int main(int count, char** arguments) {
    if (count > 1 && std::strcmp(arguments[1], "abort") == 0) {
        std::abort();
    }
    std::fwrite("\0\xff\x1b[0m", 1, 6, stdout);
    for (int i = 1; i < count; i++) {
        std::printf("%c%s", i == 1 ? ' ' : '|', arguments[i]);
    }
    std::fprintf(stderr, "the program's own words\n");

    int number = 7;
    int* device_number;
    cudaMalloc(&device_number, sizeof number);
    cudaMemcpy(device_number, &number, sizeof number, cudaMemcpyHostToDevice);
    square<<<1, 64>>>(device_number);
    cudaMemcpy(&number, device_number, sizeof number, cudaMemcpyDeviceToHost);
    cudaFree(device_number);
    std::printf("\r\n%d without newline", number);
    return 7;
}
