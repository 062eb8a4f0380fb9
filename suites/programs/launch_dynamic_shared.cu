// Dynamic shared memory: the usual 48 KB, more after asking for it by cudaFuncSetAttribute, and an error without.
// verdict: clean
#include "check.h"

extern __shared__ int cells[];

__global__ void rotate(int* out, int count) {
    for (int i = threadIdx.x; i < count; i += blockDim.x) {
        cells[i] = i * 3;
    }
    __syncthreads();
    int sum = 0;
    for (int i = threadIdx.x; i < count; i += blockDim.x) {
        sum += cells[(i + 1) % count];
    }
    out[threadIdx.x] = sum;
}

static void show(int* out, int bytes) {
    rotate<<<1, 256, bytes>>>(out, bytes / 4);
    cudaError_t status = cudaGetLastError();
    int host[256] = {};
    if (status == cudaSuccess) {
        CHECK(cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost));
    }
    std::printf("%d bytes: %s, %d\n", bytes, cudaGetErrorName(status), host[255]);
}

int main() {
    int* out;
    CHECK(cudaMalloc(&out, 256 * sizeof(int)));
    show(out, 1024);
    show(out, 48 * 1024);
    show(out, 64 * 1024);
    CHECK(cudaFuncSetAttribute(rotate, cudaFuncAttributeMaxDynamicSharedMemorySize, 100 * 1024));
    show(out, 64 * 1024);
    show(out, 100 * 1024);
    show(out, 101 * 1024);
    cudaError_t too_much = cudaFuncSetAttribute(rotate, cudaFuncAttributeMaxDynamicSharedMemorySize, 1 << 20);
    std::printf("a megabyte: %s\n", cudaGetErrorName(too_much));
    (void)cudaGetLastError();
    CHECK(cudaFuncSetAttribute(rotate, cudaFuncAttributePreferredSharedMemoryCarveout, cudaSharedmemCarveoutMaxShared));
    show(out, 4096);
    CHECK(cudaFree(out));
    return 0;
}
