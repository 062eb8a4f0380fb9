// CLEAN. The first block of a cluster adds up what the others have in shared memory; they stay until it is done.
//@ launch: reduce<<<4, 32, cluster=4>>>(out: u32[1])
#include <cooperative_groups.h>

__global__ void reduce(unsigned* out) {
    __shared__ unsigned part;
    auto cluster = cooperative_groups::this_cluster();
    if (threadIdx.x == 0) {
        part = blockIdx.x + 1;
    }
    cluster.sync();
    if (cluster.block_rank() == 0 && threadIdx.x == 0) {
        unsigned sum = 0;
        for (unsigned rank = 0; rank < 4; ++rank) {
            sum += *cluster.map_shared_rank(&part, rank);
        }
        *out = sum;
    }
    cluster.sync();
}
