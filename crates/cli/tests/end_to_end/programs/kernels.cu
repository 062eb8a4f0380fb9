// Kernels that need what simple engines lack, each with its launch: half precision, printf, a barrier of
// the whole grid, clusters, dynamic shared memory, recursion.
#include <cooperative_groups.h>
#include <cuda_fp16.h>

#include <cstdio>

namespace cg = cooperative_groups;

//@ launch: halves<<<1, 8>>>(x: f16[8] = iota, y: f16[8] = 0.5)
__global__ void halves(const __half* x, __half* y) {
    y[threadIdx.x] = __hfma(x[threadIdx.x], x[threadIdx.x], y[threadIdx.x]);
}

//@ launch: talk<<<2, 2>>>(n: u64 = 18446744073709551615)
__global__ void talk(unsigned long long n) {
    printf("block %d thread %d of %llu\n", blockIdx.x, threadIdx.x, n);
}

//@ launch: sums<<<4, 64, cooperative>>>(parts: u32[4], totals: u32[4])
__global__ void sums(unsigned* parts, unsigned* totals) {
    if (threadIdx.x == 0) parts[blockIdx.x] = blockIdx.x + 1;
    cg::this_grid().sync();
    if (threadIdx.x == 0) totals[blockIdx.x] = parts[0] + parts[1] + parts[2] + parts[3];
}

//@ launch: pairs<<<4x1, 32, 128, cluster=2x1x1>>>(neighbours: i64[4] = -1)
__global__ void pairs(long long* neighbours) {
    extern __shared__ int mine[];
    cg::cluster_group cluster = cg::this_cluster();
    if (threadIdx.x == 0) mine[0] = -10 * int(blockIdx.x);
    cluster.sync();
    int other = cluster.block_rank() ^ 1;
    if (threadIdx.x == 0) neighbours[blockIdx.x] = *cluster.map_shared_rank(mine, other);
    cluster.sync();
}

//@ launch: backwards<<<1, 100, 800>>>(places: u8[100] = random(3))
__global__ void backwards(unsigned char* places) {
    extern __shared__ long long tile[];
    tile[threadIdx.x] = threadIdx.x;
    __syncthreads();
    places[threadIdx.x] = tile[99 - threadIdx.x];
}

__device__ __noinline__ double factorial(int n) { return n < 2 ? 1.0 : n * factorial(n - 1); }

//@ launch: factorials<<<1, 4>>>(products: f64[4])
__global__ void factorials(double* products) { products[threadIdx.x] = factorial(threadIdx.x + 10); }
