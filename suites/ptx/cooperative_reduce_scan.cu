// Cooperative-group algorithms: reduce, asynchronous updates, inclusive and exclusive scans.
//@ architectures: 70 75 80 90 90a 100 120
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>

#include "support/launch.cuh"

namespace cg = cooperative_groups;

template <typename T> __global__ void reduce_tile(T *out)
{
    auto tile = cg::tiled_partition<16>(cg::this_thread_block());
    const T value = out[threadIdx.x];
    out[threadIdx.x] = cg::reduce(tile, value, cg::plus<T>()) + cg::reduce(tile, value, cg::less<T>()) + cg::reduce(tile, value, cg::greater<T>());
}

template __global__ void reduce_tile<int>(int *);
template __global__ void reduce_tile<unsigned>(unsigned *);
template __global__ void reduce_tile<long long>(long long *);
template __global__ void reduce_tile<float>(float *);
template __global__ void reduce_tile<double>(double *);

__global__ void reduce_logic(unsigned *out)
{
    auto tile = cg::tiled_partition<32>(cg::this_thread_block());
    const unsigned value = out[threadIdx.x];
    out[threadIdx.x] = cg::reduce(tile, value, cg::bit_and<unsigned>()) + cg::reduce(tile, value, cg::bit_or<unsigned>())
        + cg::reduce(tile, value, cg::bit_xor<unsigned>());
    auto active = cg::coalesced_threads();
    out[threadIdx.x] += cg::reduce(active, value, cg::plus<unsigned>());
}

__global__ void scans(int *out)
{
    auto tile = cg::tiled_partition<8>(cg::this_thread_block());
    const int value = out[threadIdx.x];
    out[threadIdx.x] = cg::inclusive_scan(tile, value) + cg::exclusive_scan(tile, value) + cg::inclusive_scan(tile, value, cg::greater<int>())
        + cg::exclusive_scan(cg::coalesced_threads(), value, cg::bit_xor<int>());
}

__global__ void updates(int *out)
{
    auto tile = cg::tiled_partition<32>(cg::this_thread_block());
    cuda::atomic_ref<int, cuda::thread_scope_device> target(*out);
    cg::reduce_update_async(tile, target, 1, cg::plus<int>());
    cuda::atomic_ref<int, cuda::thread_scope_device> store(out[1]);
    cg::reduce_store_async(tile, store, 2, cg::plus<int>());
    out[2 + threadIdx.x] = cg::inclusive_scan_update(tile, target, 1, cg::plus<int>());
}

__global__ void several_warps(int *out)
{
    __shared__ cg::block_tile_memory<256> memory;
    auto tile = cg::tiled_partition<128>(cg::this_thread_block(memory));
    out[threadIdx.x] = cg::reduce(tile, static_cast<int>(threadIdx.x), cg::plus<int>()) + cg::inclusive_scan(tile, 1);
}

#ifndef __CUDACC_RTC__
int main()
{
    reduce_tile<<<1, 64>>>(corpus::device_array<int>(64));
    reduce_logic<<<1, 64>>>(corpus::device_array<unsigned>(64));
    scans<<<1, 64>>>(corpus::device_array<int>(64));
    int *out = corpus::device_array<int>(256);
    several_warps<<<1, 256>>>(out);
    return corpus::finish("cooperative_reduce_scan", corpus::read_back(out) == 127 * 64 + 1);
}
#endif
