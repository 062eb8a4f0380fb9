// A cooperative launch in which all blocks meet at the grid's barrier, several times.
// verdict: clean
#include "check.h"
#include <cooperative_groups.h>
namespace groups = cooperative_groups;

constexpr int BLOCKS = 4;
constexpr int THREADS = 64;
constexpr int COUNT = BLOCKS * THREADS;

__global__ void rounds(int* from, int* to) {
    groups::grid_group grid = groups::this_grid();
    int i = static_cast<int>(grid.thread_rank());
    for (int round = 0; round < 4; round++) {
        to[i] = from[(i + 1) % COUNT] + from[(i + COUNT - 1) % COUNT];
        grid.sync();
        int* swap = from;
        from = to;
        to = swap;
    }
}

int main() {
    int supported = 0;
    CHECK(cudaDeviceGetAttribute(&supported, cudaDevAttrCooperativeLaunch, 0));
    std::printf("supported: %d\n", supported);
    int host[COUNT];
    for (int i = 0; i < COUNT; i++) {
        host[i] = i % 5;
    }
    int *from, *to;
    CHECK(cudaMalloc(&from, sizeof host));
    CHECK(cudaMalloc(&to, sizeof host));
    CHECK(cudaMemcpy(from, host, sizeof host, cudaMemcpyHostToDevice));
    void* arguments[] = {&from, &to};
    CHECK(cudaLaunchCooperativeKernel(reinterpret_cast<const void*>(rounds), dim3(BLOCKS), dim3(THREADS), arguments, 0, nullptr));
    CHECK(cudaMemcpy(host, from, sizeof host, cudaMemcpyDeviceToHost));
    std::printf("%d %d %d\n", host[0], host[100], host[COUNT - 1]);

    // The same by an attribute of the launch.
    cudaLaunchAttribute attribute;
    attribute.id = cudaLaunchAttributeCooperative;
    attribute.val.cooperative = 1;
    cudaLaunchConfig_t config = {};
    config.gridDim = dim3(BLOCKS);
    config.blockDim = dim3(THREADS);
    config.attrs = &attribute;
    config.numAttrs = 1;
    CHECK(cudaLaunchKernelEx(&config, rounds, from, to));
    CHECK(cudaMemcpy(host, from, sizeof host, cudaMemcpyDeviceToHost));
    std::printf("%d %d %d\n", host[0], host[100], host[COUNT - 1]);

    // More blocks than the device can hold at once cannot meet.
    cudaError_t status =
        cudaLaunchCooperativeKernel(reinterpret_cast<const void*>(rounds), dim3(1 << 20), dim3(THREADS), arguments, 0, nullptr);
    std::printf("a million blocks: %s\n", cudaGetErrorName(status));
    (void)cudaGetLastError();
    CHECK(cudaFree(from));
    CHECK(cudaFree(to));
    return 0;
}
