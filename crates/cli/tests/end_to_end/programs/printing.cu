// Prints on the host, in a kernel, and on the host again.
#include <cuda_runtime.h>

#include <cstdio>

__global__ void talk(int number) { printf("kernel %d\n", number); }

int main() {
    std::printf("before\n");
    talk<<<1, 1>>>(7);
    cudaDeviceSynchronize();
    std::printf("after\n");
    return 0;
}
