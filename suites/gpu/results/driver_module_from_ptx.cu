// The driver loads PTX text; its kernel is launched with arguments of both forms, and its variable is changed.
// flags: -lcuda
#include "driver.h"

int main(int argc, char** argv) {
    size_t count = elements(argc, argv);
    uint32_t length = static_cast<uint32_t>(count);
    CUcontext context = start_driver();
    CUmodule module;
    CUfunction scale;
    DRIVER(cuModuleLoadData(&module, SCALE_PTX));
    DRIVER(cuModuleGetFunction(&scale, module, "scale"));
    std::vector<uint32_t> values = numbers<uint32_t>(count, 1, 1000);
    {
        Numbers data(values);
        launch_scale(scale, data, length, 3);
        values = scaled(values, 3, 5);
        expect("arguments", data.all(), values);

        // The same arguments as bytes of a buffer.
        struct {
            CUdeviceptr data;
            uint32_t count, factor;
        } bytes = {data.address, length, 7};
        size_t size = sizeof bytes;
        void* extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, &bytes, CU_LAUNCH_PARAM_BUFFER_SIZE, &size, CU_LAUNCH_PARAM_END};
        DRIVER(cuLaunchKernel(scale, (length + 63) / 64, 1, 1, 64, 1, 1, 0, nullptr, nullptr, extra));
        values = scaled(values, 7, 5);
        expect("buffer", data.all(), values);

        CUdeviceptr offset;
        size_t offset_bytes = 0;
        uint32_t new_offset = 1000;
        DRIVER(cuModuleGetGlobal(&offset, &offset_bytes, module, "offset"));
        DRIVER(cuMemcpyHtoD(offset, &new_offset, sizeof new_offset));
        launch_scale(scale, data, length, 2);
        values = scaled(values, 2, new_offset);
        expect("variable", data.all(), values);
        expect("bytes_of_variable", offset_bytes, sizeof(uint32_t));
    }
    CUfunction missing;
    CUresult status = cuModuleGetFunction(&missing, module, "no_such_kernel");
    expect("no_such_kernel", static_cast<int>(status), static_cast<int>(CUDA_ERROR_NOT_FOUND));
    DRIVER(cuModuleUnload(module));
    DRIVER(cuCtxDestroy(context));
    return finish();
}
