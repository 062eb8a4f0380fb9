// Blocks of a cluster, launched by cudaLaunchKernelExC, read each other's shared memory behind the cluster's barrier.
// verdict: clean
#include "check.h"
#include <cooperative_groups.h>
namespace groups = cooperative_groups;

constexpr int THREADS = 64;

__global__ void exchange(int* out) {
    __shared__ int mine[THREADS];
    groups::cluster_group cluster = groups::this_cluster();
    unsigned rank = cluster.block_rank();
    mine[threadIdx.x] = blockIdx.x * 100 + threadIdx.x;
    cluster.sync();
    int* theirs = cluster.map_shared_rank(mine, (rank + 1) % cluster.num_blocks());
    out[blockIdx.x * THREADS + threadIdx.x] = theirs[THREADS - 1 - threadIdx.x];
    cluster.sync();  // no block may end while others read its memory
}

int main() {
    int* out;
    CHECK(cudaMalloc(&out, 8 * THREADS * sizeof(int)));
    cudaStream_t stream;
    CHECK(cudaStreamCreate(&stream));
    cudaLaunchAttribute attribute;
    attribute.id = cudaLaunchAttributeClusterDimension;
    attribute.val.clusterDim.x = 4;
    attribute.val.clusterDim.y = 1;
    attribute.val.clusterDim.z = 1;
    cudaLaunchConfig_t config = {};
    config.gridDim = dim3(8);
    config.blockDim = dim3(THREADS);
    config.stream = stream;
    config.attrs = &attribute;
    config.numAttrs = 1;
    void* arguments[] = {&out};
    CHECK(cudaLaunchKernelExC(&config, reinterpret_cast<const void*>(exchange), arguments));
    int host[8 * THREADS];
    CHECK(cudaMemcpyAsync(host, out, sizeof host, cudaMemcpyDeviceToHost, stream));
    CHECK(cudaStreamSynchronize(stream));
    std::printf("clusters of 4: %d %d %d\n", host[0], host[3 * THREADS], host[8 * THREADS - 1]);

    attribute.val.clusterDim.x = 2;
    CHECK(cudaLaunchKernelEx(&config, exchange, out));  // the C++ wrapper
    CHECK(cudaMemcpyAsync(host, out, sizeof host, cudaMemcpyDeviceToHost, stream));
    CHECK(cudaStreamSynchronize(stream));
    std::printf("clusters of 2: %d %d %d\n", host[0], host[3 * THREADS], host[8 * THREADS - 1]);

    attribute.val.clusterDim.x = 3;
    std::printf("clusters of 3 of 8 blocks: %s\n", cudaGetErrorName(cudaLaunchKernelEx(&config, exchange, out)));
    (void)cudaGetLastError();
    CHECK(cudaStreamDestroy(stream));
    CHECK(cudaFree(out));
    return 0;
}
