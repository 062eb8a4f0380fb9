// Cooperative groups within a block: tiles of every size, coalesced groups, partitions, invocations.
#include <cooperative_groups.h>

#include "support/launch.cuh"

namespace cg = cooperative_groups;

template <unsigned Size> __global__ void tiles(int *out)
{
    auto block = cg::this_thread_block();
    auto tile = cg::tiled_partition<Size>(block);
    int value = out[block.thread_rank()];
    value += tile.shfl(value, 0) + tile.shfl_up(value, 1) + tile.shfl_down(value, 1) + tile.shfl_xor(value, 1);
    value += tile.any(value > 3) + tile.all(value > 3) + static_cast<int>(tile.ballot(value > 2));
    tile.sync();
    value += tile.thread_rank() + tile.meta_group_rank() * tile.meta_group_size() + tile.num_threads();
#if __CUDA_ARCH__ >= 700
    int all = 0;
    value += tile.match_any(value) + tile.match_all(value, all) + all;
#endif
    out[block.thread_rank()] = value;
}

template __global__ void tiles<1>(int *);
template __global__ void tiles<2>(int *);
template __global__ void tiles<4>(int *);
template __global__ void tiles<8>(int *);
template __global__ void tiles<16>(int *);
template __global__ void tiles<32>(int *);

__global__ void wide_types(double *out, long long *wide, float4 *quads)
{
    auto tile = cg::tiled_partition<32>(cg::this_thread_block());
    out[threadIdx.x] = tile.shfl(out[threadIdx.x], 5);
    wide[threadIdx.x] = tile.shfl_xor(wide[threadIdx.x], 3);
    quads[threadIdx.x] = tile.shfl_down(quads[threadIdx.x], 1);
}

__global__ void coalesced(int *counter, int *out)
{
    if (threadIdx.x % 3 == 0) {
        auto active = cg::coalesced_threads();
        int start = 0;
        if (active.thread_rank() == 0) {
            start = atomicAdd(counter, static_cast<int>(active.num_threads()));
        }
        start = active.shfl(start, 0);
        out[threadIdx.x] = start + active.thread_rank();
        active.sync();
        out[threadIdx.x] += active.shfl_up(start, 1) + static_cast<int>(active.ballot(start > 1)) + active.any(start == 0);
        auto smaller = cg::tiled_partition(active, 4);
        out[threadIdx.x] += smaller.num_threads();
    }
}

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 700
#define HAS_PARTITIONS
#endif

__global__ void partitions(int *out)
{
#ifdef HAS_PARTITIONS
    auto tile = cg::tiled_partition<32>(cg::this_thread_block());
    auto labelled = cg::labeled_partition(tile, static_cast<int>(threadIdx.x % 5));
    out[threadIdx.x] = labelled.thread_rank() + labelled.num_threads();
    labelled.sync();
    auto halves = cg::binary_partition(tile, threadIdx.x % 2 == 0);
    out[threadIdx.x] += halves.shfl(static_cast<int>(threadIdx.x), 0);
    halves.sync();
    auto nested = cg::labeled_partition(cg::coalesced_threads(), static_cast<int>(threadIdx.x / 8));
    out[threadIdx.x] += nested.meta_group_rank();
#endif
}

__global__ void blocks(int *out)
{
    auto block = cg::this_thread_block();
    const dim3 index = block.thread_index();
    const dim3 group = block.group_index();
    const dim3 size = block.dim_threads();
    out[block.thread_rank()] = index.x + index.y * size.x + index.z + group.x + group.y + group.z + size.z + block.num_threads();
    auto token = block.barrier_arrive();
    out[block.thread_rank()] += 1;
    block.barrier_wait(static_cast<cg::thread_block::arrival_token &&>(token));
    cg::sync(block);
    cg::invoke_one(block, [&] { out[0] = 7; });
    out[1] = cg::invoke_one_broadcast(cg::coalesced_threads(), [] { return 9; });
    cg::thread_group generic = cg::tiled_partition(block, 8);
    generic.sync();
    out[2] = generic.size() + generic.thread_rank();
}

// A tile that spans several warps needs shared memory of its own.
__global__ void tile_of_several_warps(int *out)
{
#ifdef HAS_PARTITIONS
    __shared__ cg::block_tile_memory<256> memory;
    auto block = cg::this_thread_block(memory);
    auto tile = cg::tiled_partition<128>(block);
    out[threadIdx.x] = tile.any(threadIdx.x == 100) + tile.all(threadIdx.x < 250) + tile.shfl(static_cast<int>(threadIdx.x), 64);
    tile.sync();
#endif
}

#ifndef __CUDACC_RTC__
int main()
{
    int *out = corpus::device_array<int>(256);
    tiles<8><<<1, 64>>>(out);
    coalesced<<<1, 64>>>(corpus::device_array<int>(1), out);
    partitions<<<1, 64>>>(out);
    tile_of_several_warps<<<1, 256>>>(out);
    blocks<<<1, 64>>>(corpus::device_array<int>(256));
    return corpus::finish("cooperative_tiles", corpus::read_back(out, 130) == 192);
}
#endif
