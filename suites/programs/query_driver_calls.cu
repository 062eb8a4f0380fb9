// A program that also calls the driver: versions, entry points found by the runtime, and functions of libcuda by dlopen.
// verdict: clean
// driver: dlopen
#include "check.h"
#include <cuda.h>
#include <dlfcn.h>

__global__ void fill(int* data) {
    data[threadIdx.x] = threadIdx.x * 4;
}

template <typename F>
static F entry_point(const char* name) {
    void* function = nullptr;
    cudaDriverEntryPointQueryResult result;
    CHECK(cudaGetDriverEntryPointByVersion(name, &function, 12000, cudaEnableDefault, &result));
    std::printf("%s: %s\n", name, result == cudaDriverEntryPointSuccess && function != nullptr ? "found" : "missing");
    return reinterpret_cast<F>(function);
}

int main() {
    int runtime = 0, driver = 0;
    CHECK(cudaRuntimeGetVersion(&runtime));
    CHECK(cudaDriverGetVersion(&driver));
    std::printf("the runtime is the one of the compiler: %s, the driver is not older: %s\n",
                runtime == CUDART_VERSION ? "yes" : "no", driver / 1000 >= runtime / 1000 ? "yes" : "no");

    void* library = dlopen("libcuda.so.1", RTLD_NOW);
    if (library == nullptr) {
        std::fprintf(stderr, "%s\n", dlerror());
        return 1;
    }
    auto initialize = reinterpret_cast<CUresult (*)(unsigned)>(dlsym(library, "cuInit"));
    auto get_count = reinterpret_cast<CUresult (*)(int*)>(dlsym(library, "cuDeviceGetCount"));
    auto get_device = reinterpret_cast<CUresult (*)(CUdevice*, int)>(dlsym(library, "cuDeviceGet"));
    auto get_context = reinterpret_cast<CUresult (*)(CUcontext*)>(dlsym(library, "cuCtxGetCurrent"));
    CUdevice device = -1;
    CUcontext context = reinterpret_cast<CUcontext>(1);
    int count = 0;
    CUresult results[3] = {initialize(0), get_count(&count), get_device(&device, 0)};
    std::printf("results %d %d %d, device %d, some devices: %s\n", results[0], results[1], results[2], device,
                count > 0 ? "yes" : "no");
    CHECK(cudaFree(nullptr));  // the runtime makes its context now at the latest
    std::printf("context: %d, there is one: %s\n", get_context(&context), context != nullptr ? "yes" : "no");

    auto get_attribute = entry_point<CUresult (*)(int*, CUdevice_attribute, CUdevice)>("cuDeviceGetAttribute");
    auto get_range = entry_point<CUresult (*)(CUdeviceptr*, size_t*, CUdeviceptr)>("cuMemGetAddressRange");
    auto get_error_name = entry_point<CUresult (*)(CUresult, const char**)>("cuGetErrorName");
    void* nothing = nullptr;
    cudaDriverEntryPointQueryResult result;
    (void)cudaGetDriverEntryPointByVersion("cuNoSuchFunction", &nothing, 12000, cudaEnableDefault, &result);
    (void)cudaGetLastError();
    std::printf("cuNoSuchFunction: %s\n", result == cudaDriverEntryPointSymbolNotFound ? "not found" : "found");

    int warp = 0;
    std::printf("warp: %d, ", get_attribute(&warp, CU_DEVICE_ATTRIBUTE_WARP_SIZE, device));
    std::printf("%d\n", warp);
    int* data;
    CHECK(cudaMalloc(&data, 256 * sizeof(int)));
    CUdeviceptr base = 0;
    size_t bytes = 0;
    CUresult ranged = get_range(&base, &bytes, reinterpret_cast<CUdeviceptr>(data + 10));
    bool right = base == reinterpret_cast<CUdeviceptr>(data);
    std::printf("range: %d, base %s, bytes %zu\n", ranged, right ? "right" : "wrong", bytes);
    const char* name = nullptr;
    CUresult named = get_error_name(CUDA_ERROR_INVALID_VALUE, &name);
    std::printf("name: %d %s\n", named, name);

    // The handles of both are the same things.
    CUstream stream;
    CHECK(cudaStreamCreate(&stream));
    fill<<<1, 256, 0, stream>>>(data);
    CHECK(cudaGetLastError());
    CHECK(cudaStreamSynchronize(stream));
    int last = 0;
    CHECK(cudaMemcpy(&last, data + 255, sizeof last, cudaMemcpyDeviceToHost));
    std::printf("%d\n", last);
    CHECK(cudaStreamDestroy(stream));
    CHECK(cudaFree(data));
    return 0;
}
