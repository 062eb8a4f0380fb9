// How many blocks and clusters fit, for kernels whose needs are known.
// verdict: clean
// arch: sm_90
#include "check.h"

extern __shared__ int dynamic[];

__global__ void __launch_bounds__(256, 8) small(int* out) {
    dynamic[threadIdx.x] = threadIdx.x;
    __syncthreads();
    out[blockIdx.x * blockDim.x + threadIdx.x] = dynamic[blockDim.x - 1 - threadIdx.x];
}

int main() {
    int blocks = 0;
    CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, small, 256, 1024));
    std::printf("256 threads, 1 KB: %d\n", blocks);
    CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, small, 32, 128));
    std::printf("32 threads: %d\n", blocks);
    CHECK(cudaFuncSetAttribute(small, cudaFuncAttributeMaxDynamicSharedMemorySize, 200 * 1024));
    CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, small, 256, 100 * 1024));
    std::printf("100 KB of shared memory: %d\n", blocks);
    CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(&blocks, small, 256, 200 * 1024, cudaOccupancyDefault));
    std::printf("200 KB of shared memory: %d\n", blocks);

    int grid = 0, block = 0;
    CHECK(cudaOccupancyMaxPotentialBlockSize(&grid, &block, small, 1024, 256));
    std::printf("best block: whole warps %s, at most 256 %s; grid: some %s\n", block % 32 == 0 ? "yes" : "no",
                block <= 256 ? "yes" : "no", grid > 0 ? "yes" : "no");
    size_t bytes = 0;
    CHECK(cudaOccupancyAvailableDynamicSMemPerBlock(&bytes, small, 2, 256));
    std::printf("two blocks leave each at least 100 KB: %s\n", bytes >= 100 * 1024 ? "yes" : "no");

    cudaLaunchAttribute attribute;
    attribute.id = cudaLaunchAttributeClusterDimension;
    attribute.val.clusterDim.x = 4;
    attribute.val.clusterDim.y = 1;
    attribute.val.clusterDim.z = 1;
    cudaLaunchConfig_t config = {};
    config.gridDim = dim3(16);
    config.blockDim = dim3(256);
    config.dynamicSmemBytes = 1024;
    config.attrs = &attribute;
    config.numAttrs = 1;
    int clusters = 0, size = 0;
    CHECK(cudaOccupancyMaxActiveClusters(&clusters, small, &config));
    config.numAttrs = 0;
    CHECK(cudaOccupancyMaxPotentialClusterSize(&size, small, &config));
    std::printf("clusters: some %s, size at least 8 %s\n", clusters > 0 ? "yes" : "no", size >= 8 ? "yes" : "no");

    int* out;
    CHECK(cudaMalloc(&out, 2 * 256 * sizeof(int)));
    small<<<2, 256, 1024>>>(out);
    CHECK(cudaGetLastError());
    int last = 0;
    CHECK(cudaMemcpy(&last, out + 510, sizeof last, cudaMemcpyDeviceToHost));
    std::printf("%d\n", last);
    CHECK(cudaFree(out));
    return 0;
}
