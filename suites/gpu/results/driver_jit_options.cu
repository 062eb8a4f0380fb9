// The driver compiles PTX text with options and writes a log; text that is no PTX is refused.
// flags: -lcuda
#include "driver.h"

int main(int argc, char** argv) {
    size_t count = elements(argc, argv);
    CUcontext context = start_driver();
    char log[4096] = "";
    CUjit_option options[] = {CU_JIT_MAX_REGISTERS, CU_JIT_INFO_LOG_BUFFER, CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES, CU_JIT_GENERATE_LINE_INFO};
    void* values[] = {reinterpret_cast<void*>(uintptr_t(64)), log, reinterpret_cast<void*>(sizeof log), reinterpret_cast<void*>(uintptr_t(1))};
    CUmodule module;
    CUfunction scale;
    DRIVER(cuModuleLoadDataEx(&module, SCALE_PTX, 4, options, values));
    DRIVER(cuModuleGetFunction(&scale, module, "scale"));
    std::vector<uint32_t> data = numbers<uint32_t>(count, 2, 1000);
    {
        Numbers device(data);
        launch_scale(scale, device, static_cast<uint32_t>(count), 9);
        expect("scaled", device.all(), scaled(data, 9, 5));
    }
    int threads = 0;
    DRIVER(cuFuncGetAttribute(&threads, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, scale));
    expect("threads_of_a_block", threads, 1024);
    CUmodule refused;
    CUresult status = cuModuleLoadData(&refused, ".version 7.8\n.target sm_80\nthis is no PTX\n");
    expect("no_ptx", static_cast<int>(status), static_cast<int>(CUDA_ERROR_INVALID_PTX));
    DRIVER(cuModuleUnload(module));
    DRIVER(cuCtxDestroy(context));
    return finish();
}
