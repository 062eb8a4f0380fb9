// The plug-in of build_plugin.cu.
#include <cuda_runtime.h>

__global__ void triple_all(int* data) {
    data[threadIdx.x] *= 3;
}

extern "C" int triple(int* data, int count) {
    triple_all<<<1, count>>>(data);
    return cudaGetLastError() == cudaSuccess && cudaDeviceSynchronize() == cudaSuccess ? count : -1;
}
