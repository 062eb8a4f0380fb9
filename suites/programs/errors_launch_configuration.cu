// Launches that the device cannot do: too many threads, no threads, too much shared memory, too large a grid.
// verdict: clean
#include "check.h"

__global__ void fill(int* data) {
    data[threadIdx.x] = 1;
}

__global__ void __launch_bounds__(128) bounded(int* data) {
    data[threadIdx.x] = 2;
}

static void show(const char* what) {
    std::printf("%s: %s\n", what, cudaGetErrorName(cudaGetLastError()));
}

int main() {
    int* data;
    CHECK(cudaMalloc(&data, 1024 * sizeof(int)));
    fill<<<1, 1025>>>(data);
    show("1025 threads");
    fill<<<1, dim3(1, 1, 65)>>>(data);
    show("65 threads deep");
    fill<<<1, 0>>>(data);
    show("no threads");
    fill<<<0, 32>>>(data);
    show("no blocks");
    fill<<<dim3(1, 65536), 32>>>(data);
    show("65536 rows of blocks");
    fill<<<1, 32, 64 * 1024>>>(data);
    show("64 KB of shared memory");
    bounded<<<1, 256>>>(data);
    show("more threads than the kernel allows");
    void* no_arguments[] = {nullptr};
    cudaError_t no_kernel = cudaLaunchKernel(static_cast<const void*>(nullptr), dim3(1), dim3(1), no_arguments);
    std::printf("no kernel: %s\n", cudaGetErrorName(no_kernel));
    (void)cudaGetLastError();
    fill<<<1, 1024>>>(data);
    show("1024 threads");
    bounded<<<1, 128>>>(data);
    show("as many as the kernel allows");
    int host[2];
    CHECK(cudaMemcpy(host, data + 127, sizeof host, cudaMemcpyDeviceToHost));
    std::printf("%d %d\n", host[0], host[1]);
    CHECK(cudaFree(data));
    return 0;
}
