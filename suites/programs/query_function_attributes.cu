// What is known about a kernel: its name, its parameters, its shared memory, its limits.
// verdict: clean
// arch: sm_90
#include "check.h"

struct Pair {
    double first;
    char second;
};

extern "C" __global__ void __launch_bounds__(128) with_static_memory(int* out, Pair pair, short number) {
    __shared__ int cells[128];
    cells[threadIdx.x] = number + static_cast<int>(pair.first) + pair.second;
    __syncthreads();
    out[threadIdx.x] = cells[127 - threadIdx.x];
}

int main() {
    cudaFuncAttributes attributes;
    CHECK(cudaFuncGetAttributes(&attributes, with_static_memory));
    std::printf("static shared memory %zu, threads at most %d\n", attributes.sharedSizeBytes, attributes.maxThreadsPerBlock);
    std::printf("dynamic shared memory at most %d\n", attributes.maxDynamicSharedSizeBytes);
    std::printf("binary version %d, ptx version %d, some registers: %s\n", attributes.binaryVersion, attributes.ptxVersion,
                attributes.numRegs > 0 ? "yes" : "no");
    CHECK(cudaFuncSetAttribute(with_static_memory, cudaFuncAttributeMaxDynamicSharedMemorySize, 96 * 1024));
    CHECK(cudaFuncGetAttributes(&attributes, with_static_memory));
    std::printf("after asking for more: %d\n", attributes.maxDynamicSharedSizeBytes);
    const char* name = nullptr;
    CHECK(cudaFuncGetName(&name, reinterpret_cast<const void*>(with_static_memory)));
    std::printf("name %s\n", name);
    for (size_t i = 0; i < 3; i++) {
        size_t offset = 0, size = 0;
        CHECK(cudaFuncGetParamInfo(reinterpret_cast<const void*>(with_static_memory), i, &offset, &size));
        std::printf("parameter %zu: offset %zu, size %zu\n", i, offset, size);
    }
    size_t offset = 0, size = 0;
    cudaError_t status = cudaFuncGetParamInfo(reinterpret_cast<const void*>(with_static_memory), 3, &offset, &size);
    std::printf("parameter 3: %s\n", cudaGetErrorName(status));
    static int no_kernel;
    std::printf("no kernel: %s\n", cudaGetErrorName(cudaFuncGetAttributes(&attributes, static_cast<const void*>(&no_kernel))));
    (void)cudaGetLastError();

    int* out;
    CHECK(cudaMalloc(&out, 128 * sizeof(int)));
    with_static_memory<<<1, 128>>>(out, Pair{40.5, 2}, 100);
    CHECK(cudaGetLastError());
    int first = 0;
    CHECK(cudaMemcpy(&first, out, sizeof first, cudaMemcpyDeviceToHost));
    std::printf("%d\n", first);
    CHECK(cudaFree(out));
    return 0;
}
