// Tensor copies: CUtensorMap parameters, tiles and im2col in one to five dimensions, reductions, prefetch, replace.
//@ architectures: 90 90a 100 100a 120
#include <cuda.h>
#include <cuda/barrier>
#include <cuda/ptx>

#include "support/launch.cuh"

namespace ptx = cuda::ptx;

template <int Dimensions> __device__ void both_ways(const CUtensorMap *map, void *buffer, uint64_t *barrier)
{
    int32_t coordinates[Dimensions] = {};
    coordinates[0] = static_cast<int32_t>(blockIdx.x);
    ptx::cp_async_bulk_tensor(ptx::space_cluster, ptx::space_global, buffer, map, coordinates, barrier);
    ptx::cp_async_bulk_tensor(ptx::space_shared, ptx::space_global, buffer, map, coordinates, barrier);
    ptx::cp_async_bulk_tensor(ptx::space_global, ptx::space_shared, map, coordinates, buffer);
    ptx::cp_reduce_async_bulk_tensor(ptx::space_global, ptx::space_shared, ptx::op_add, map, coordinates, buffer);
    ptx::cp_reduce_async_bulk_tensor(ptx::space_global, ptx::space_shared, ptx::op_min, map, coordinates, buffer);
    ptx::cp_reduce_async_bulk_tensor(ptx::space_global, ptx::space_shared, ptx::op_xor_op, map, coordinates, buffer);
#if defined(__CUDA_ARCH_FEAT_SM90_ALL) || defined(__CUDA_ARCH_FEAT_SM100_ALL)
    ptx::cp_async_bulk_tensor(ptx::space_cluster, ptx::space_global, buffer, map, coordinates, barrier, static_cast<uint16_t>(3));
#endif
}

__global__ void every_dimension(const __grid_constant__ CUtensorMap map)
{
    extern __shared__ __align__(128) unsigned char buffer[];
    __shared__ uint64_t barrier;
    if (threadIdx.x == 0) {
        both_ways<1>(&map, buffer, &barrier);
        both_ways<2>(&map, buffer, &barrier);
        both_ways<3>(&map, buffer, &barrier);
        both_ways<4>(&map, buffer, &barrier);
        both_ways<5>(&map, buffer, &barrier);
        ptx::cp_async_bulk_commit_group();
        ptx::cp_async_bulk_wait_group_read(ptx::n32_t<0>{});
    }
}

// A tile of 16 by 16 integers, copied in, changed and copied out.
__global__ void tile(const __grid_constant__ CUtensorMap map, int x, int y)
{
    __shared__ alignas(128) int buffer[16][16];
#pragma nv_diag_suppress static_var_with_dynamic_init
    __shared__ cuda::barrier<cuda::thread_scope_block> barrier;
    namespace experimental = cuda::device::experimental;
    if (threadIdx.x == 0) {
        init(&barrier, blockDim.x);
        experimental::fence_proxy_async_shared_cta();
    }
    __syncthreads();
    cuda::barrier<cuda::thread_scope_block>::arrival_token token;
    if (threadIdx.x == 0) {
        experimental::cp_async_bulk_tensor_2d_global_to_shared(&buffer, &map, x, y, barrier);
        token = cuda::device::barrier_arrive_tx(barrier, 1, sizeof(buffer));
    } else {
        token = barrier.arrive();
    }
    barrier.wait(static_cast<cuda::barrier<cuda::thread_scope_block>::arrival_token &&>(token));
    buffer[0][threadIdx.x & 15] += 1;
    experimental::fence_proxy_async_shared_cta();
    __syncthreads();
    if (threadIdx.x == 0) {
        experimental::cp_async_bulk_tensor_2d_shared_to_global(&map, x, y, &buffer);
        experimental::cp_async_bulk_commit_group();
        experimental::cp_async_bulk_wait_group_read<0>();
    }
}

__global__ void instructions(const __grid_constant__ CUtensorMap map, unsigned long long policy, unsigned short mask, int c0, int c1)
{
    __shared__ alignas(128) int buffer[256];
    __shared__ unsigned long long barrier;
    const unsigned target = static_cast<unsigned>(__cvta_generic_to_shared(buffer));
    const unsigned state = static_cast<unsigned>(__cvta_generic_to_shared(&barrier));
    const unsigned short offset = mask;
    asm volatile("cp.async.bulk.tensor.3d.shared::cluster.global.im2col.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3, %2}], [%4], {%5};" ::"r"(target), "l"(&map), "r"(c0), "r"(c1), "r"(state), "h"(offset) : "memory");
    asm volatile("cp.async.bulk.tensor.4d.shared::cluster.global.im2col.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3, %2, %3}], [%4], {%5, %5};" ::"r"(target), "l"(&map), "r"(c0), "r"(c1), "r"(state), "h"(offset) : "memory");
    asm volatile("cp.async.bulk.tensor.5d.shared::cluster.global.im2col.mbarrier::complete_tx::bytes.multicast::cluster.L2::cache_hint [%0], [%1, {%2, %3, %2, %3, %2}], [%4], {%5, %5, %5}, %5, %6;" ::"r"(target), "l"(&map), "r"(c0), "r"(c1), "r"(state), "h"(offset), "l"(policy) : "memory");
    asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes.L2::cache_hint [%0], [%1, {%2, %3}], [%4], %5;" ::"r"(target), "l"(&map), "r"(c0), "r"(c1), "r"(state), "l"(policy) : "memory");
    asm volatile("cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [%0, {%1, %2}], [%3];" ::"l"(&map), "r"(c0), "r"(c1), "r"(target) : "memory");
    asm volatile("cp.async.bulk.tensor.3d.global.shared::cta.im2col_no_offs.bulk_group [%0, {%1, %2, %2}], [%3];" ::"l"(&map), "r"(c0), "r"(c1), "r"(target) : "memory");
    asm volatile("cp.reduce.async.bulk.tensor.2d.global.shared::cta.or.tile.bulk_group.L2::cache_hint [%0, {%1, %2}], [%3], %4;" ::"l"(&map), "r"(c0), "r"(c1), "r"(target), "l"(policy) : "memory");
    asm volatile("cp.async.bulk.prefetch.tensor.2d.L2.global.tile [%0, {%1, %2}];" ::"l"(&map), "r"(c0), "r"(c1) : "memory");
    asm volatile("cp.async.bulk.prefetch.tensor.4d.L2.global.im2col.L2::cache_hint [%0, {%1, %2, %1, %2}], {%3, %3}, %4;" ::"l"(&map), "r"(c0), "r"(c1), "h"(offset), "l"(policy) : "memory");
    asm volatile("prefetch.tensormap [%0];" ::"l"(&map) : "memory");
    asm volatile("prefetch.param.tensormap [%0];" ::"l"(__cvta_generic_to_grid_constant(&map)) : "memory");
#if defined(__CUDA_ARCH_FEAT_SM100_ALL)
    asm volatile("cp.async.bulk.tensor.2d.cta_group::2.shared::cluster.global.tile::gather4.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3, %2, %3, %2}], [%4];" ::"r"(target), "l"(&map), "r"(c0), "r"(c1), "r"(state) : "memory");
    asm volatile("cp.async.bulk.tensor.2d.global.shared::cta.tile::scatter4.bulk_group [%0, {%1, %2, %1, %2, %1}], [%3];" ::"l"(&map), "r"(c0), "r"(c1), "r"(target) : "memory");
    asm volatile("cp.async.bulk.tensor.3d.shared::cta.global.im2col::w.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3, %2}], [%4], {%5, %5};" ::"r"(target), "l"(&map), "r"(c0), "r"(c1), "r"(state), "h"(offset) : "memory");
#endif
}

// A tensor map changed in shared memory, published and acquired through the tensormap proxy.
__global__ void replace(CUtensorMap *global_map, void *new_address, uint32_t size, uint64_t stride)
{
    __shared__ alignas(128) CUtensorMap map;
    if (threadIdx.x == 0) {
        map = *global_map;
    }
    __syncwarp();
#if defined(__CUDA_ARCH_FEAT_SM90_ALL) || defined(__CUDA_ARCH_FEAT_SM100_ALL)
    ptx::tensormap_replace_global_address(ptx::space_shared, &map, reinterpret_cast<uint64_t>(new_address));
    ptx::tensormap_replace_rank(ptx::space_shared, &map, 2);
    ptx::tensormap_replace_box_dim(ptx::space_shared, &map, ptx::n32_t<0>{}, size);
    ptx::tensormap_replace_global_dim(ptx::space_shared, &map, ptx::n32_t<1>{}, size);
    ptx::tensormap_replace_global_stride(ptx::space_shared, &map, ptx::n32_t<0>{}, stride);
    ptx::tensormap_replace_element_size(ptx::space_global, global_map, ptx::n32_t<1>{}, size);
    ptx::tensormap_replace_elemtype(ptx::space_shared, &map, ptx::n32_t<4>{});
    ptx::tensormap_replace_interleave_layout(ptx::space_shared, &map, ptx::n32_t<0>{});
    ptx::tensormap_replace_swizzle_mode(ptx::space_shared, &map, ptx::n32_t<3>{});
    ptx::tensormap_replace_fill_mode(ptx::space_global, global_map, ptx::n32_t<1>{});
#endif
    ptx::tensormap_cp_fenceproxy(ptx::sem_release, ptx::scope_gpu, global_map, &map, ptx::n32_t<128>{});
    ptx::fence_proxy_tensormap_generic(ptx::sem_acquire, ptx::scope_sys, global_map, ptx::n32_t<128>{});
    ptx::fence_proxy_tensormap_generic(ptx::sem_release, ptx::scope_cluster);
}

int main()
{
    return corpus::finish("tensor_copies");
}
