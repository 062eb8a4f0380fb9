// Four threads of the host load modules and launch their kernels at the same time, in one context and streams of their own.
// flags: -lcuda
#include "driver.h"
#include <thread>

int main(int argc, char** argv) {
    size_t count = elements(argc, argv);
    uint32_t length = static_cast<uint32_t>(count);
    CUcontext context = start_driver();
    std::vector<uint32_t> values = numbers<uint32_t>(count, 1, 1000), found[4], expected[4];
    auto work = [&](uint32_t number) {
        DRIVER(cuCtxSetCurrent(context));
        CUmodule module;
        CUfunction scale;
        CUstream stream;
        DRIVER(cuModuleLoadData(&module, number % 2 == 0 ? SCALE_PTX : OTHER_SCALE_PTX));
        DRIVER(cuModuleGetFunction(&scale, module, "scale"));
        DRIVER(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
        expected[number] = values;
        {
            Numbers data(values);
            for (uint32_t round = 0; round < 10; round++) {
                launch_scale(scale, data, length, number + round, stream);
                for (uint32_t& value : expected[number]) {
                    value = number % 2 == 0 ? value * (number + round) + 5 : value ^ (number + round);
                }
            }
            DRIVER(cuStreamSynchronize(stream));
            found[number] = data.all();
        }
        DRIVER(cuStreamDestroy(stream));
        DRIVER(cuModuleUnload(module));
    };
    std::vector<std::thread> threads;
    for (uint32_t number = 0; number < 4; number++) {
        threads.emplace_back(work, number);
    }
    for (std::thread& thread : threads) {
        thread.join();
    }
    for (int number = 0; number < 4; number++) {
        expect("thread", found[number], expected[number]);
    }
    DRIVER(cuCtxDestroy(context));
    return finish();
}
