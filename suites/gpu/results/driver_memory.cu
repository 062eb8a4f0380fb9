// Memory of the driver of several kinds under one kernel: pitched, from a pool, page-locked, and mapped by hand.
// flags: -lcuda
#include "driver.h"

int main() {
    constexpr uint32_t COUNT = 4096;
    CUcontext context = start_driver();
    CUdevice device;
    CUmodule module;
    CUfunction scale;
    CUstream stream;
    DRIVER(cuDeviceGet(&device, 0));
    DRIVER(cuModuleLoadData(&module, SCALE_PTX));
    DRIVER(cuModuleGetFunction(&scale, module, "scale"));
    DRIVER(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    std::vector<uint32_t> values = numbers<uint32_t>(COUNT, 1, 1000), expected = scaled(values, 3, 5);
    auto run = [&](const char* name, CUdeviceptr address) {
        uint32_t count = COUNT, factor = 3;
        std::vector<uint32_t> found(COUNT);
        void* arguments[] = {&address, &count, &factor};
        DRIVER(cuMemcpyHtoDAsync(address, values.data(), COUNT * 4, stream));
        DRIVER(cuLaunchKernel(scale, COUNT / 128, 1, 1, 128, 1, 1, 0, stream, arguments, nullptr));
        DRIVER(cuMemcpyDtoHAsync(found.data(), address, COUNT * 4, stream));
        DRIVER(cuStreamSynchronize(stream));
        expect(name, found, expected);
    };
    CUdeviceptr pitched, pooled, host_address;
    size_t pitch = 0;
    DRIVER(cuMemAllocPitch(&pitched, &pitch, 1000, 64, 4));
    run("pitched", pitched);
    DRIVER(cuMemFree(pitched));

    DRIVER(cuMemAllocAsync(&pooled, COUNT * 4, stream));
    run("pooled", pooled);
    DRIVER(cuMemFreeAsync(pooled, stream));

    void* page_locked;
    DRIVER(cuMemHostAlloc(&page_locked, COUNT * 4, CU_MEMHOSTALLOC_DEVICEMAP));
    DRIVER(cuMemHostGetDevicePointer(&host_address, page_locked, 0));
    run("page_locked", host_address);
    expect("seen_by_the_host", static_cast<uint32_t*>(page_locked)[17], expected[17]);
    DRIVER(cuMemFreeHost(page_locked));

    CUmemAllocationProp properties{};
    properties.type = CU_MEM_ALLOCATION_TYPE_PINNED;
    properties.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
    properties.location.id = device;
    size_t granularity = 0;
    DRIVER(cuMemGetAllocationGranularity(&granularity, &properties, CU_MEM_ALLOC_GRANULARITY_MINIMUM));
    size_t bytes = (COUNT * 4 + granularity - 1) / granularity * granularity;
    CUmemGenericAllocationHandle handle;
    CUdeviceptr range;
    CUmemAccessDesc access{};
    access.location = properties.location;
    access.flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
    DRIVER(cuMemCreate(&handle, bytes, &properties, 0));
    DRIVER(cuMemAddressReserve(&range, 2 * bytes, 0, 0, 0));
    for (size_t place = 0; place < 2; place++) {
        CUdeviceptr address = range + place * bytes;
        DRIVER(cuMemMap(address, bytes, 0, handle, 0));
        DRIVER(cuMemSetAccess(address, bytes, &access, 1));
        run(place == 0 ? "mapped" : "mapped_elsewhere", address);
        DRIVER(cuMemUnmap(address, bytes));
    }
    DRIVER(cuMemAddressFree(range, 2 * bytes));
    DRIVER(cuMemRelease(handle));
    DRIVER(cuStreamDestroy(stream));
    DRIVER(cuModuleUnload(module));
    DRIVER(cuCtxDestroy(context));
    return finish();
}
