// CLEAN. cooperative_groups: sync of a cluster, and its map of shared memory.
//@ launch: exchange<<<2, 32, cluster=2>>>(out: u32[64])
#include <cooperative_groups.h>
namespace cg = cooperative_groups;

__global__ void exchange(unsigned* out) {
    __shared__ unsigned s[32];
    cg::cluster_group cluster = cg::this_cluster();
    s[threadIdx.x] = threadIdx.x;
    cluster.sync();
    unsigned* other = cluster.map_shared_rank(s, 1 - cluster.block_rank());
    out[blockIdx.x * 32 + threadIdx.x] = other[31 - threadIdx.x];
    cluster.sync();
}
