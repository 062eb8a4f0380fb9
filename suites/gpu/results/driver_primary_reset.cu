// The primary context is reset while it is in use; modules and memory are gone, and a new beginning works.
// flags: -lcuda
#include "driver.h"

int main(int argc, char** argv) {
    size_t count = elements(argc, argv);
    uint32_t length = static_cast<uint32_t>(count);
    CUdevice device;
    DRIVER(cuInit(0));
    DRIVER(cuDeviceGet(&device, 0));
    std::vector<uint32_t> values = numbers<uint32_t>(count, 1, 1000);
    for (uint32_t round = 0; round < 3; round++) {
        CUcontext context;
        CUmodule module;
        CUfunction scale;
        DRIVER(cuDevicePrimaryCtxRetain(&context, device));
        DRIVER(cuCtxSetCurrent(context));
        DRIVER(cuModuleLoadData(&module, SCALE_PTX));
        DRIVER(cuModuleGetFunction(&scale, module, "scale"));
        {
            Numbers data(values);
            launch_scale(scale, data, length, round + 2);
            expect("round", data.all(), scaled(values, round + 2, 5));
        }
        DRIVER(cuCtxSetCurrent(nullptr));
        DRIVER(cuDevicePrimaryCtxReset(device));
    }
    return finish();
}
