// A library of the driver: kernels that no context owns, counted, named, launched by handle and by function.
// flags: -lcuda
#include "driver.h"

int main(int argc, char** argv) {
    size_t count = elements(argc, argv);
    uint32_t length = static_cast<uint32_t>(count);
    CUcontext context = start_driver();
    CUlibrary library;
    DRIVER(cuLibraryLoadData(&library, SCALE_PTX, nullptr, nullptr, 0, nullptr, nullptr, 0));
    CUkernel kernel;
    CUfunction function;
    unsigned kernels = 0;
    const char* name = nullptr;
    DRIVER(cuLibraryGetKernelCount(&kernels, library));
    DRIVER(cuLibraryGetKernel(&kernel, library, "scale"));
    DRIVER(cuKernelGetFunction(&function, kernel));
    DRIVER(cuKernelGetName(&name, kernel));
    std::printf("kernels %u, the first is %s\n", kernels, name);
    std::vector<uint32_t> values = numbers<uint32_t>(count, 1, 1000);
    {
        Numbers data(values);
        launch_scale(reinterpret_cast<CUfunction>(kernel), data, length, 3);
        values = scaled(values, 3, 5);
        expect("by_kernel", data.all(), values);
        launch_scale(function, data, length, 4);
        values = scaled(values, 4, 5);
        expect("by_function", data.all(), values);
        CUdeviceptr offset;
        size_t bytes = 0;
        uint32_t new_offset = 77;
        DRIVER(cuLibraryGetGlobal(&offset, &bytes, library, "offset"));
        DRIVER(cuMemcpyHtoD(offset, &new_offset, sizeof new_offset));
        launch_scale(function, data, length, 5);
        expect("variable", data.all(), scaled(values, 5, 77));
    }
    DRIVER(cuLibraryUnload(library));
    DRIVER(cuCtxDestroy(context));
    return finish();
}
