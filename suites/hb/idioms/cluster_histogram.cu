// CLEAN. Bins spread over the shared memories of a cluster, counted by remote atomics between two cluster barriers.
//@ launch: histogram<<<2, 64, cluster=2>>>(in: u32[128] = iota, bins: u32[16])
#include <cooperative_groups.h>

__global__ void histogram(unsigned* in, unsigned* bins) {
    __shared__ unsigned part[8];
    auto cluster = cooperative_groups::this_cluster();
    if (threadIdx.x < 8) {
        part[threadIdx.x] = 0;
    }
    cluster.sync();
    unsigned bin = in[blockIdx.x * 64 + threadIdx.x] % 16;
    atomicAdd(cluster.map_shared_rank(part, bin / 8) + bin % 8, 1u);
    cluster.sync();
    if (threadIdx.x < 8) {
        bins[cluster.block_rank() * 8 + threadIdx.x] = part[threadIdx.x];
    }
}
