// Blocks of a cluster read each other's shared memory with only a barrier of their own block before.
// verdict: race
#include "check.h"
#include <cooperative_groups.h>
namespace groups = cooperative_groups;

constexpr int THREADS = 64;

__global__ void __cluster_dims__(2) exchange(int* out) {
    __shared__ int mine[THREADS];
    groups::cluster_group cluster = groups::this_cluster();
    cluster.sync();  // both blocks have begun: their memory is there
    mine[threadIdx.x] = blockIdx.x * 100 + threadIdx.x;
    __syncthreads();
    int* theirs = cluster.map_shared_rank(mine, cluster.block_rank() ^ 1);
    out[blockIdx.x * THREADS + threadIdx.x] = theirs[THREADS - 1 - threadIdx.x];  //~ race: missing-sync error (with line 13)
    cluster.sync();
}

int main() {
    int* out;
    CHECK(cudaMalloc(&out, 2 * THREADS * sizeof(int)));
    exchange<<<2, THREADS>>>(out);
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
    std::printf("exchanged\n");
    CHECK(cudaFree(out));
    return 0;
}
