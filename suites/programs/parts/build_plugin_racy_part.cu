// The plug-in of build_plugin_racy.cu: two blocks exchange numbers in place.
#include <cuda_runtime.h>

__global__ void reverse_all(int* data) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int other = data[255 - i];
    data[i] = other;  //~ race: missing-sync error (with line 6)
}

extern "C" int reverse(int* data) {
    reverse_all<<<2, 128>>>(data);
    return cudaGetLastError() == cudaSuccess && cudaDeviceSynchronize() == cudaSuccess ? 1 : -1;
}
