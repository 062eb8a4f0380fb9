// The driver's functions are found at run time: by dlopen and dlsym, by cuGetProcAddress, and through the runtime.
#include "driver.h"
#include <dlfcn.h>

template <typename Function>
static Function symbol(void* library, const char* name) {
    void* found = dlsym(library, name);
    if (found == nullptr) {
        std::printf("there is no %s\n", name);
        std::exit(1);
    }
    return reinterpret_cast<Function>(found);
}

// This program is not linked with the driver; the header's functions need a few of it.
static void* driver = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
extern "C" CUresult CUDAAPI cuGetErrorName(CUresult status, const char** name) {
    return symbol<CUresult (*)(CUresult, const char**)>(driver, "cuGetErrorName")(status, name);
}

using GetProcAddress = CUresult (*)(const char*, void**, int, cuuint64_t, CUdriverProcAddressQueryResult*);
using ModuleLoadData = CUresult (*)(CUmodule*, const void*);
using ModuleGetFunction = CUresult (*)(CUfunction*, CUmodule, const char*);
using LaunchKernel = CUresult (*)(CUfunction, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, CUstream, void**, void**);

static GetProcAddress get_proc_address;

template <typename Function>
static Function entry(const char* name) {
    void* found = nullptr;
    CUdriverProcAddressQueryResult result{};
    DRIVER(get_proc_address(name, &found, 12000, CU_GET_PROC_ADDRESS_DEFAULT, &result));
    return reinterpret_cast<Function>(found);
}

int main(int argc, char** argv) {
    size_t count = elements(argc, argv);
    uint32_t length = static_cast<uint32_t>(count);
    if (driver == nullptr) {
        std::printf("there is no driver\n");
        return 1;
    }
    get_proc_address = symbol<GetProcAddress>(driver, "cuGetProcAddress_v2");
    CHECK(cudaFree(nullptr));
    std::vector<uint32_t> values = numbers<uint32_t>(count, 1, 1000);
    Device<uint32_t> data(values);
    CUmodule module;
    CUfunction scale;
    DRIVER(entry<ModuleLoadData>("cuModuleLoadData")(&module, SCALE_PTX));
    DRIVER(entry<ModuleGetFunction>("cuModuleGetFunction")(&scale, module, "scale"));
    uint32_t* address = data.get();
    uint32_t factor = 3;
    void* arguments[] = {&address, &length, &factor};
    auto launch = [&](LaunchKernel function) {
        DRIVER(function(scale, (length + 127) / 128, 1, 1, 128, 1, 1, 0, nullptr, arguments, nullptr));
        CHECK(cudaDeviceSynchronize());
        values = scaled(values, 3, 5);
    };
    launch(symbol<LaunchKernel>(driver, "cuLaunchKernel"));
    expect("by_dlsym", data.all(), values);
    launch(entry<LaunchKernel>("cuLaunchKernel"));
    expect("by_cuGetProcAddress", data.all(), values);
    void* found = nullptr;
    cudaDriverEntryPointQueryResult result{};
    CHECK(cudaGetDriverEntryPointByVersion("cuLaunchKernel", &found, 12000, cudaEnableDefault, &result));
    launch(reinterpret_cast<LaunchKernel>(found));
    expect("by_the_runtime", data.all(), values);
    void* missing = nullptr;
    CUdriverProcAddressQueryResult query{};
    get_proc_address("cuNoSuchFunction", &missing, 12000, CU_GET_PROC_ADDRESS_DEFAULT, &query);
    expect("no_such_function", static_cast<int>(missing == nullptr), 1);
    DRIVER(entry<CUresult (*)(CUmodule)>("cuModuleUnload")(module));
    return finish();
}
