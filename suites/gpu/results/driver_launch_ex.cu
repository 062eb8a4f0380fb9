// Launches with attributes: a cluster of two blocks, a cooperative launch by attribute and by its own function.
// flags: -lcuda
#include "driver.h"
#include <cooperative_groups.h>

// Each block writes the number of its partner in the cluster.
extern "C" __global__ void partners(uint32_t* out) {
    auto cluster = cooperative_groups::this_cluster();
    __shared__ uint32_t number;
    if (threadIdx.x == 0) {
        number = blockIdx.x + 100;
    }
    cluster.sync();
    uint32_t* other = cluster.map_shared_rank(&number, cluster.block_rank() ^ 1);
    if (threadIdx.x == 0) {
        out[blockIdx.x] = *other;
    }
    cluster.sync();
}

// Two steps with a barrier of the grid between them: each element becomes the sum of two others.
extern "C" __global__ void two_steps(uint32_t* a, uint32_t* b, uint32_t count) {
    uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) {
        a[i] = i * 3;
    }
    cooperative_groups::this_grid().sync();
    if (i < count) {
        b[i] = a[(i + 1) % count] + a[(i + 200) % count];
    }
}

int main() {
    CHECK(cudaFree(nullptr));
    cudaFunction_t function;
    CHECK(cudaGetFuncBySymbol(&function, reinterpret_cast<const void*>(partners)));
    std::vector<uint32_t> zeros(16), expected(16);
    for (uint32_t i = 0; i < 16; i++) {
        expected[i] = (i ^ 1) + 100;
    }
    Numbers out(zeros);
    CUlaunchAttribute attribute{};
    attribute.id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION;
    attribute.value.clusterDim.x = 2;
    attribute.value.clusterDim.y = 1;
    attribute.value.clusterDim.z = 1;
    CUlaunchConfig config{};
    config.gridDimX = 16;
    config.gridDimY = config.gridDimZ = 1;
    config.blockDimX = 64;
    config.blockDimY = config.blockDimZ = 1;
    config.attrs = &attribute;
    config.numAttrs = 1;
    void* arguments[] = {&out.address};
    DRIVER(cuLaunchKernelEx(&config, function, arguments, nullptr));
    expect("clusters", out.all(), expected);

    constexpr uint32_t COUNT = 1000;
    CHECK(cudaGetFuncBySymbol(&function, reinterpret_cast<const void*>(two_steps)));
    std::vector<uint32_t> sums(COUNT);
    for (uint32_t i = 0; i < COUNT; i++) {
        sums[i] = (i + 1) % COUNT * 3 + (i + 200) % COUNT * 3;
    }
    Numbers a(std::vector<uint32_t>(COUNT, 0)), b(std::vector<uint32_t>(COUNT, 0));
    uint32_t count = COUNT;
    void* more[] = {&a.address, &b.address, &count};
    attribute = {};
    attribute.id = CU_LAUNCH_ATTRIBUTE_COOPERATIVE;
    attribute.value.cooperative = 1;
    config.gridDimX = 8;
    config.blockDimX = 128;
    DRIVER(cuLaunchKernelEx(&config, function, more, nullptr));
    expect("cooperative_by_attribute", b.all(), sums);
    Numbers c(std::vector<uint32_t>(COUNT, 0));
    more[1] = &c.address;
    DRIVER(cuLaunchCooperativeKernel(function, 4, 1, 1, 256, 1, 1, 0, nullptr, more));
    expect("cooperative", c.all(), sums);
    return finish();
}
