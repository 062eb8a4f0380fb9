// Four threads, each with a context of its own on the same device, launch at the same time; two are destroyed while the
// others go on. A context is also used by a thread in which another one is current, by its stream.
// flags: -lcuda
#include "driver.h"
#include <thread>

struct Place {
    CUcontext context;
    CUmodule module;
    CUfunction scale;
    CUstream stream;
};

static Place open_place(CUdevice device, uint32_t own) {
    Place place;
    place.context = create_context(device);
    DRIVER(cuCtxSetCurrent(place.context));
    DRIVER(cuModuleLoadData(&place.module, SCALE_PTX));
    DRIVER(cuModuleGetFunction(&place.scale, place.module, "scale"));
    DRIVER(cuStreamCreate(&place.stream, CU_STREAM_NON_BLOCKING));
    CUdeviceptr offset;
    DRIVER(cuModuleGetGlobal(&offset, nullptr, place.module, "offset"));
    DRIVER(cuMemcpyHtoD(offset, &own, sizeof own));
    return place;
}

int main(int argc, char** argv) {
    size_t count = elements(argc, argv);
    uint32_t length = static_cast<uint32_t>(count);
    CUdevice device;
    DRIVER(cuInit(0));
    DRIVER(cuDeviceGet(&device, 0));
    std::vector<uint32_t> values = numbers<uint32_t>(count, 1, 1000), found[4], expected[4];
    Place kept[4];
    auto work = [&](uint32_t number) {
        uint32_t own = 7 * number + 1;
        Place place = open_place(device, own);
        expected[number] = values;
        {
            Numbers data(values);
            for (uint32_t round = 0; round < 20; round++) {
                launch_scale(place.scale, data, length, number + round, round % 2 == 0 ? place.stream : nullptr);
                DRIVER(cuCtxSynchronize());
                expected[number] = scaled(expected[number], number + round, own);
            }
            found[number] = data.all();
        }
        if (number % 2 == 0) {
            DRIVER(cuCtxDestroy(place.context));
        }
        kept[number] = place;
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

    // What is left is used by one thread, in turns and one inside of the other.
    DRIVER(cuCtxPushCurrent(kept[1].context));
    Numbers first(values);
    launch_scale(kept[1].scale, first, length, 2, kept[1].stream);
    DRIVER(cuCtxPushCurrent(kept[3].context));
    Numbers second(values);
    launch_scale(kept[3].scale, second, length, 3, kept[3].stream);
    DRIVER(cuCtxSynchronize());
    expect("inside", second.all(), scaled(values, 3, 22));
    DRIVER(cuCtxPopCurrent(nullptr));
    launch_scale(kept[1].scale, first, length, 2, kept[1].stream);
    DRIVER(cuCtxSynchronize());
    expect("around", first.all(), scaled(scaled(values, 2, 8), 2, 8));

    // Page-locked memory is the same for all of them.
    uint32_t* shared;
    DRIVER(cuMemHostAlloc(reinterpret_cast<void**>(&shared), count * sizeof(uint32_t), CU_MEMHOSTALLOC_PORTABLE));
    std::copy(values.begin(), values.end(), shared);
    for (int number : {1, 3}) {
        DRIVER(cuCtxSetCurrent(kept[number].context));
        CUdeviceptr address;
        uint32_t factor = 2;
        DRIVER(cuMemHostGetDevicePointer(&address, shared, 0));
        void* arguments[] = {&address, &length, &factor};
        DRIVER(cuLaunchKernel(kept[number].scale, (length + 127) / 128, 1, 1, 128, 1, 1, 0, nullptr, arguments, nullptr));
        DRIVER(cuCtxSynchronize());
    }
    std::vector<uint32_t> together(shared, shared + count);
    expect("together", together, scaled(scaled(values, 2, 8), 2, 22));
    DRIVER(cuCtxDestroy(kept[3].context));
    DRIVER(cuCtxDestroy(kept[1].context));
    return finish();
}
