// Groups of threads: the block, tiles of it, the lanes that are active, and what they can do together.
// verdict: clean
#include "check.h"
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
namespace groups = cooperative_groups;

__global__ void gather(const int* numbers, int* sums, int* scanned, int* odd_count) {
    __shared__ int tile_sums[8];
    groups::thread_block block = groups::this_thread_block();
    auto tile = groups::tiled_partition<32>(block);
    int value = numbers[block.thread_rank()];
    int sum = groups::reduce(tile, value, groups::plus<int>());
    if (tile.thread_rank() == 0) {
        tile_sums[tile.meta_group_rank()] = sum;
    }
    block.sync();
    if (tile.meta_group_rank() == 0) {
        int part = tile.thread_rank() < tile.meta_group_size() ? tile_sums[tile.thread_rank()] : 0;
        int all = groups::reduce(tile, part, groups::plus<int>());
        if (tile.thread_rank() == 0) {
            sums[0] = all;
        }
    }
    auto quarter = groups::tiled_partition<8>(tile);
    scanned[block.thread_rank()] = groups::inclusive_scan(quarter, value);
    if (value % 2 == 1) {
        groups::coalesced_group odd = groups::coalesced_threads();
        if (odd.thread_rank() == 0) {
            atomicAdd(odd_count, static_cast<int>(odd.size()));
        }
    }
}

int main() {
    int host[256];
    for (int i = 0; i < 256; i++) {
        host[i] = i % 11;
    }
    int *numbers, *sums, *scanned, *odd;
    CHECK(cudaMalloc(&numbers, sizeof host));
    CHECK(cudaMalloc(&sums, sizeof(int)));
    CHECK(cudaMalloc(&scanned, sizeof host));
    CHECK(cudaMalloc(&odd, sizeof(int)));
    CHECK(cudaMemset(odd, 0, sizeof(int)));
    CHECK(cudaMemcpy(numbers, host, sizeof host, cudaMemcpyHostToDevice));
    gather<<<1, 256>>>(numbers, sums, scanned, odd);
    CHECK(cudaGetLastError());
    int sum = 0, odd_count = 0;
    CHECK(cudaMemcpy(&sum, sums, sizeof sum, cudaMemcpyDeviceToHost));
    CHECK(cudaMemcpy(&odd_count, odd, sizeof odd_count, cudaMemcpyDeviceToHost));
    CHECK(cudaMemcpy(host, scanned, sizeof host, cudaMemcpyDeviceToHost));
    std::printf("sum %d, odd %d, scanned %d %d\n", sum, odd_count, host[7], host[255]);
    CHECK(cudaFree(numbers));
    CHECK(cudaFree(sums));
    CHECK(cudaFree(scanned));
    CHECK(cudaFree(odd));
    return 0;
}
