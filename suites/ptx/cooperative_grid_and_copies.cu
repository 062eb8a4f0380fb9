// Grid-wide barriers of a cooperative launch, and cooperative memcpy_async with its waits.
//@ architectures: 70 75 80 90 90a 100 120
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cuda/barrier>

#include "support/launch.cuh"

namespace cg = cooperative_groups;

__global__ void grid_sum(int *partial, int *out, int n)
{
    cg::grid_group grid = cg::this_grid();
    int sum = 0;
    for (unsigned long long i = grid.thread_rank(); i < static_cast<unsigned long long>(n); i += grid.size()) {
        sum += static_cast<int>(i);
    }
    partial[grid.thread_rank()] = sum;
    grid.sync();
    if (grid.thread_rank() == 0) {
        int total = 0;
        for (unsigned i = 0; i < grid.num_threads(); ++i) {
            total += partial[i];
        }
        *out = total;
    }
    auto token = grid.barrier_arrive();
    partial[grid.thread_rank()] = static_cast<int>(grid.block_rank() + grid.num_blocks() + grid.is_valid() + grid.dim_blocks().y + grid.block_index().x);
    grid.barrier_wait(static_cast<cg::grid_group::arrival_token &&>(token));
}

__global__ void copies(int *out, const int *in)
{
    __shared__ alignas(16) int buffer[512];
    auto block = cg::this_thread_block();
    cg::memcpy_async(block, buffer, in, sizeof(int) * 256);
    cg::memcpy_async(block, buffer + 256, cuda::aligned_size_t<16>(256), in + 256, cuda::aligned_size_t<16>(256));
    cg::wait_prior<1>(block);
    out[block.thread_rank()] = buffer[block.thread_rank()];
    cg::wait(block);
    out[block.thread_rank() + 256] = buffer[511 - block.thread_rank()];
}

__global__ void copies_by_tile(float *out, const float *in)
{
    __shared__ float buffer[8][32];
    auto tile = cg::tiled_partition<32>(cg::this_thread_block());
    cg::memcpy_async(tile, buffer[tile.meta_group_rank()], in + 32 * tile.meta_group_rank(), sizeof(float) * 32);
    cg::wait(tile);
    out[threadIdx.x] = buffer[tile.meta_group_rank()][31 - tile.thread_rank()];
}

#ifndef __CUDACC_RTC__
int main()
{
    int n = 1000;
    int *partial = corpus::device_array<int>(256);
    int *out = corpus::device_array<int>(1);
    void *arguments[] = {&partial, &out, &n};
    corpus::succeeded(cudaLaunchCooperativeKernel(reinterpret_cast<void *>(grid_sum), dim3(4), dim3(64), arguments, 0, nullptr), "cooperative launch");
    copies<<<1, 256>>>(corpus::device_array<int>(512), corpus::device_array<int>(512));
    copies_by_tile<<<1, 256>>>(corpus::device_array<float>(256), corpus::device_array<float>(256));
    return corpus::finish("cooperative_grid_and_copies", corpus::read_back(out) == 499500);
}
#endif
