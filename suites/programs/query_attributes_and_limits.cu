// Attributes of the device one by one, and limits that can be set.
// verdict: clean
// arch: sm_90
#include "check.h"

static int attribute(cudaDeviceAttr which) {
    int value = -1;
    CHECK(cudaDeviceGetAttribute(&value, which, 0));
    return value;
}

int main() {
    std::printf("threads %d, warp %d, capability %d.%d\n", attribute(cudaDevAttrMaxThreadsPerBlock),
                attribute(cudaDevAttrWarpSize), attribute(cudaDevAttrComputeCapabilityMajor),
                attribute(cudaDevAttrComputeCapabilityMinor));
    std::printf("grid %d %d %d\n", attribute(cudaDevAttrMaxGridDimX), attribute(cudaDevAttrMaxGridDimY),
                attribute(cudaDevAttrMaxGridDimZ));
    std::printf("shared %d %d, constant %d\n", attribute(cudaDevAttrMaxSharedMemoryPerBlock),
                attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin), attribute(cudaDevAttrTotalConstantMemory));
    std::printf("unified %d, managed %d, cooperative %d, pools %d\n", attribute(cudaDevAttrUnifiedAddressing),
                attribute(cudaDevAttrManagedMemory), attribute(cudaDevAttrCooperativeLaunch),
                attribute(cudaDevAttrMemoryPoolsSupported));
    std::printf("multiprocessors: some %s, clock: some %s\n", attribute(cudaDevAttrMultiProcessorCount) > 0 ? "yes" : "no",
                attribute(cudaDevAttrClockRate) > 0 ? "yes" : "no");
    int value = 0;
    cudaDeviceAttr unknown = static_cast<cudaDeviceAttr>(9999);
    std::printf("no such attribute: %s\n", cudaGetErrorName(cudaDeviceGetAttribute(&value, unknown, 0)));
    std::printf("no such device: %s\n", cudaGetErrorName(cudaDeviceGetAttribute(&value, cudaDevAttrWarpSize, 999)));
    (void)cudaGetLastError();

    CHECK(cudaDeviceSetLimit(cudaLimitStackSize, 4096));
    CHECK(cudaDeviceSetLimit(cudaLimitPrintfFifoSize, 2 << 20));
    size_t stack = 0, fifo = 0, heap = 0;
    CHECK(cudaDeviceGetLimit(&stack, cudaLimitStackSize));
    CHECK(cudaDeviceGetLimit(&fifo, cudaLimitPrintfFifoSize));
    CHECK(cudaDeviceGetLimit(&heap, cudaLimitMallocHeapSize));
    std::printf("stack at least as asked: %s, fifo at least as asked: %s, heap: %s\n", stack >= 4096 ? "yes" : "no",
                fifo >= (2 << 20) ? "yes" : "no", heap > 0 ? "yes" : "no");
    unsigned flags = 0;
    CHECK(cudaGetDeviceFlags(&flags));
    CHECK(cudaSetDeviceFlags(cudaDeviceScheduleBlockingSync));
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaDeviceReset());
    void* memory;
    CHECK(cudaMalloc(&memory, 100));
    CHECK(cudaFree(memory));
    std::printf("usable after a reset\n");
    return 0;
}
