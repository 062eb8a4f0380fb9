// Two contexts of one device and the primary one: each has its own module, variable and memory, used in turns.
// flags: -lcuda
#include "driver.h"

int main(int argc, char** argv) {
    size_t count = elements(argc, argv);
    uint32_t length = static_cast<uint32_t>(count);
    CUdevice device;
    DRIVER(cuInit(0));
    DRIVER(cuDeviceGet(&device, 0));
    CUcontext contexts[3];
    DRIVER(cuDevicePrimaryCtxRetain(&contexts[0], device));
    contexts[1] = create_context(device);
    contexts[2] = create_context(device);
    CUmodule modules[3];
    CUfunction scale[3];
    Numbers* data[3];
    std::vector<uint32_t> values = numbers<uint32_t>(count, 3, 1000);
    for (uint32_t i = 0; i < 3; i++) {
        DRIVER(cuCtxSetCurrent(contexts[i]));
        DRIVER(cuModuleLoadData(&modules[i], SCALE_PTX));
        DRIVER(cuModuleGetFunction(&scale[i], modules[i], "scale"));
        CUdeviceptr offset;
        uint32_t own = 10 * (i + 1);
        DRIVER(cuModuleGetGlobal(&offset, nullptr, modules[i], "offset"));
        DRIVER(cuMemcpyHtoD(offset, &own, sizeof own));
        data[i] = new Numbers(values);
    }
    for (uint32_t round = 0; round < 3; round++) {
        for (uint32_t i = 0; i < 3; i++) {
            DRIVER(cuCtxPushCurrent(contexts[i]));
            launch_scale(scale[i], *data[i], length, round + 2);
            DRIVER(cuCtxPopCurrent(nullptr));
        }
    }
    const char* const names[] = {"primary", "first", "second"};
    for (uint32_t i = 0; i < 3; i++) {
        uint32_t own = 10 * (i + 1);
        DRIVER(cuCtxSetCurrent(contexts[i]));
        expect(names[i], data[i]->all(), scaled(scaled(scaled(values, 2, own), 3, own), 4, own));
        delete data[i];
        DRIVER(cuModuleUnload(modules[i]));
    }
    DRIVER(cuCtxDestroy(contexts[1]));
    DRIVER(cuCtxDestroy(contexts[2]));
    DRIVER(cuDevicePrimaryCtxRelease(device));
    return finish();
}
