// Properties of the device that all of the H100's class share.
// verdict: clean
// arch: sm_90
#include "check.h"
#include <cstring>

int main() {
    int count = 0, device = -1;
    CHECK(cudaGetDeviceCount(&count));
    CHECK(cudaGetDevice(&device));
    std::printf("some devices: %s, the current one: %d\n", count > 0 ? "yes" : "no", device);
    cudaDeviceProp p;
    CHECK(cudaGetDeviceProperties(&p, 0));
    std::printf("compute capability %d.%d, warps of %d\n", p.major, p.minor, p.warpSize);
    std::printf("threads: %d in a block, %d in a multiprocessor, at most %d x %d x %d\n", p.maxThreadsPerBlock,
                p.maxThreadsPerMultiProcessor, p.maxThreadsDim[0], p.maxThreadsDim[1], p.maxThreadsDim[2]);
    std::printf("grid: %d x %d x %d\n", p.maxGridSize[0], p.maxGridSize[1], p.maxGridSize[2]);
    std::printf("registers: %d in a block, %d in a multiprocessor\n", p.regsPerBlock, p.regsPerMultiprocessor);
    std::printf("shared memory: %zu in a block, %zu with opting in, %zu in a multiprocessor, %zu reserved\n",
                p.sharedMemPerBlock, p.sharedMemPerBlockOptin, p.sharedMemPerMultiprocessor, p.reservedSharedMemPerBlock);
    std::printf("constant memory: %zu\n", p.totalConstMem);
    std::printf("blocks in a multiprocessor: %d\n", p.maxBlocksPerMultiProcessor);
    std::printf("unified addressing %d, managed memory %d, concurrent %d, mapped host memory %d, pools %d\n", p.unifiedAddressing,
                p.managedMemory, p.concurrentManagedAccess, p.canMapHostMemory, p.memoryPoolsSupported);
    std::printf("cooperative launch %d, clusters %d, concurrent kernels %d, priorities %d\n", p.cooperativeLaunch,
                p.clusterLaunch, p.concurrentKernels, p.streamPrioritiesSupported);
    std::printf("more than 64 GB: %s, multiprocessors more than 100: %s, a name: %s\n",
                p.totalGlobalMem > (64ull << 30) ? "yes" : "no", p.multiProcessorCount > 100 ? "yes" : "no",
                std::strlen(p.name) > 0 ? "yes" : "no");
    cudaDeviceProp wanted = {};
    wanted.major = 9;
    int chosen = -1;
    CHECK(cudaChooseDevice(&chosen, &wanted));
    std::printf("chosen: a device %s\n", chosen >= 0 && chosen < count ? "yes" : "no");
    char bus[32];
    int by_bus = -1;
    CHECK(cudaDeviceGetPCIBusId(bus, sizeof bus, 0));
    CHECK(cudaDeviceGetByPCIBusId(&by_bus, bus));
    std::printf("found again by its bus: %d\n", by_bus);
    return 0;
}
