// Modules with kernels of one name are loaded, used and unloaded in turns, many times.
// flags: -lcuda
#include "driver.h"

int main(int argc, char** argv) {
    size_t count = elements(argc, argv);
    uint32_t length = static_cast<uint32_t>(count);
    CUcontext context = start_driver();
    std::vector<uint32_t> values = numbers<uint32_t>(count, 1, 1000);
    {
        Numbers data(values);
        for (uint32_t round = 0; round < 20; round++) {
            bool is_other = round % 2 == 1;
            CUmodule module;
            CUfunction scale;
            DRIVER(cuModuleLoadData(&module, is_other ? OTHER_SCALE_PTX : SCALE_PTX));
            DRIVER(cuModuleGetFunction(&scale, module, "scale"));
            launch_scale(scale, data, length, round + 1);
            if (is_other) {
                for (uint32_t& value : values) {
                    value ^= round + 1;
                }
            } else {
                values = scaled(values, round + 1, 5);
            }
            DRIVER(cuCtxSynchronize());
            DRIVER(cuModuleUnload(module));
        }
        expect("after_all", data.all(), values);
    }
    DRIVER(cuCtxDestroy(context));
    return finish();
}
