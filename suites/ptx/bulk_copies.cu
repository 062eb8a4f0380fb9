// Bulk copies and bulk reductions through cuda::ptx and cuda::device, with their barriers, groups and fences.
//@ architectures: 90 90a 100 100a 120
#include <cuda/barrier>
#include <cuda/ptx>

#include "support/launch.cuh"

namespace ptx = cuda::ptx;

__global__ void copy_in_and_out(int *out, const int *in)
{
    __shared__ alignas(128) int buffer[256];
#pragma nv_diag_suppress static_var_with_dynamic_init
    __shared__ cuda::barrier<cuda::thread_scope_block> barrier;
    if (threadIdx.x == 0) {
        init(&barrier, blockDim.x);
        cuda::device::experimental::fence_proxy_async_shared_cta();
    }
    __syncthreads();
    cuda::barrier<cuda::thread_scope_block>::arrival_token token;
    if (threadIdx.x == 0) {
        cuda::device::experimental::cp_async_bulk_global_to_shared(buffer, in, sizeof(buffer), barrier);
        token = cuda::device::barrier_arrive_tx(barrier, 1, sizeof(buffer));
    } else {
        token = barrier.arrive();
    }
    barrier.wait(static_cast<cuda::barrier<cuda::thread_scope_block>::arrival_token &&>(token));
    buffer[threadIdx.x] += 1;
    cuda::device::experimental::fence_proxy_async_shared_cta();
    __syncthreads();
    if (threadIdx.x == 0) {
        cuda::device::experimental::cp_async_bulk_shared_to_global(out, buffer, sizeof(buffer));
        cuda::device::experimental::cp_async_bulk_commit_group();
        cuda::device::experimental::cp_async_bulk_wait_group_read<0>();
    }
    __syncthreads();
}

__global__ void through_ptx(int *out, const int *in, unsigned short mask)
{
    __shared__ alignas(128) int buffer[256];
    __shared__ uint64_t barrier;
    if (threadIdx.x == 0) {
        ptx::mbarrier_init(&barrier, 1);
        ptx::fence_mbarrier_init(ptx::sem_release, ptx::scope_cluster);
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        ptx::cp_async_bulk(ptx::space_cluster, ptx::space_global, buffer, in, sizeof(buffer), &barrier);
        ptx::cp_async_bulk(ptx::space_shared, ptx::space_global, buffer, in, 64, &barrier);
        ptx::cp_async_bulk(ptx::space_cluster, ptx::space_shared, buffer, buffer + 64, 128, &barrier);
        ptx::mbarrier_expect_tx(ptx::sem_relaxed, ptx::scope_cta, ptx::space_shared, &barrier, 64);
        const uint64_t state = ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &barrier, sizeof(buffer));
        while (!ptx::mbarrier_try_wait(ptx::sem_acquire, ptx::scope_cta, &barrier, state)) {
        }
        while (!ptx::mbarrier_try_wait_parity(ptx::sem_acquire, ptx::scope_cluster, &barrier, 0, 1000)) {
        }
        while (!ptx::mbarrier_test_wait(&barrier, state) && !ptx::mbarrier_test_wait_parity(&barrier, 1)) {
        }
        ptx::cp_async_bulk(ptx::space_global, ptx::space_shared, out, buffer, sizeof(buffer));
        ptx::cp_async_bulk_commit_group();
        ptx::cp_async_bulk_wait_group_read(ptx::n32_t<1>{});
        ptx::cp_async_bulk_wait_group(ptx::n32_t<0>{});
#if __CUDA_ARCH__ >= 1000
        ptx::cp_async_bulk_cp_mask(ptx::space_global, ptx::space_shared, out, buffer, 64, 0x5555);
#endif
    }
#if defined(__CUDA_ARCH_FEAT_SM90_ALL) || defined(__CUDA_ARCH_FEAT_SM100_ALL)
    ptx::cp_async_bulk(ptx::space_cluster, ptx::space_global, buffer, in, 64, &barrier, mask);
#endif
}

__global__ void reductions(int *out, unsigned *uout, unsigned long long *wide, long long *swide, float *real, double *dreal, __half *half, __nv_bfloat16 *brain)
{
    __shared__ alignas(128) unsigned char raw[1024];
    __shared__ uint64_t barrier;
    const int *i = reinterpret_cast<int *>(raw);
    const unsigned *u = reinterpret_cast<unsigned *>(raw);
    const uint64_t *w = reinterpret_cast<uint64_t *>(raw);
    ptx::cp_reduce_async_bulk(ptx::space_global, ptx::space_shared, ptx::op_add, out, i, 64);
    ptx::cp_reduce_async_bulk(ptx::space_global, ptx::space_shared, ptx::op_min, out, i, 64);
    ptx::cp_reduce_async_bulk(ptx::space_global, ptx::space_shared, ptx::op_max, uout, u, 64);
    ptx::cp_reduce_async_bulk(ptx::space_global, ptx::space_shared, ptx::op_inc, uout, u, 64);
    ptx::cp_reduce_async_bulk(ptx::space_global, ptx::space_shared, ptx::op_dec, uout, u, 64);
    ptx::cp_reduce_async_bulk(ptx::space_global, ptx::space_shared, ptx::op_and_op, uout, u, 64);
    ptx::cp_reduce_async_bulk(ptx::space_global, ptx::space_shared, ptx::op_xor_op, uout, u, 64);
    ptx::cp_reduce_async_bulk(ptx::space_global, ptx::space_shared, ptx::op_or_op, reinterpret_cast<uint64_t *>(wide), w, 64);
    ptx::cp_reduce_async_bulk(ptx::space_global, ptx::space_shared, ptx::op_add, reinterpret_cast<uint64_t *>(wide), w, 64);
    ptx::cp_reduce_async_bulk(ptx::space_global, ptx::space_shared, ptx::op_min, reinterpret_cast<int64_t *>(swide), reinterpret_cast<int64_t *>(raw), 64);
    ptx::cp_reduce_async_bulk(ptx::space_global, ptx::space_shared, ptx::op_add, real, reinterpret_cast<float *>(raw), 64);
    ptx::cp_reduce_async_bulk(ptx::space_global, ptx::space_shared, ptx::op_add, dreal, reinterpret_cast<double *>(raw), 64);
    ptx::cp_reduce_async_bulk(ptx::space_global, ptx::space_shared, ptx::op_add, half, reinterpret_cast<__half *>(raw), 64);
    ptx::cp_reduce_async_bulk(ptx::space_global, ptx::space_shared, ptx::op_max, brain, reinterpret_cast<__nv_bfloat16 *>(raw), 64);
    ptx::cp_reduce_async_bulk(ptx::space_cluster, ptx::space_shared, ptx::op_add, reinterpret_cast<unsigned *>(raw) + 64, u, 64, &barrier);
    ptx::cp_reduce_async_bulk(ptx::space_cluster, ptx::space_shared, ptx::op_inc, reinterpret_cast<unsigned *>(raw) + 64, u, 64, &barrier);
    ptx::cp_async_bulk_commit_group();
    ptx::cp_async_bulk_wait_group(ptx::n32_t<0>{});
}

__global__ void instructions(int *out, const int *in, unsigned long long policy, unsigned short mask)
{
    __shared__ alignas(128) int buffer[256];
    __shared__ unsigned long long barrier;
    const unsigned target = static_cast<unsigned>(__cvta_generic_to_shared(buffer));
    const unsigned state = static_cast<unsigned>(__cvta_generic_to_shared(&barrier));
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(target), "l"(in), "r"(64), "r"(state) : "memory");
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.L2::cache_hint [%0], [%1], 64, [%2], %3;" ::"r"(target), "l"(in), "r"(state), "l"(policy) : "memory");
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster.L2::cache_hint [%0], [%1], 64, [%2], %3, %4;" ::"r"(target), "l"(in), "r"(state), "h"(mask), "l"(policy) : "memory");
    asm volatile("cp.async.bulk.global.shared::cta.bulk_group.L2::cache_hint [%0], [%1], 64, %2;" ::"l"(out), "r"(target), "l"(policy) : "memory");
    asm volatile("cp.reduce.async.bulk.global.shared::cta.bulk_group.L2::cache_hint.add.noftz.bf16 [%0], [%1], 64, %2;" ::"l"(out), "r"(target), "l"(policy) : "memory");
    asm volatile("cp.async.bulk.prefetch.L2.global [%0], %1;" ::"l"(in), "r"(256));
    asm volatile("cp.async.bulk.prefetch.L2.global.L2::cache_hint [%0], 256, %1;" ::"l"(in), "l"(policy));
    asm volatile("cp.async.bulk.commit_group; cp.async.bulk.wait_group 3; cp.async.bulk.wait_group.read 0;" ::: "memory");
#if __CUDA_ARCH__ >= 1000
    asm volatile("st.bulk.weak.shared::cta [%0], 64, 0;" ::"r"(target) : "memory");
    asm volatile("st.bulk [%0], %1, 0;" ::"l"(buffer), "l"(64ull) : "memory");
#endif
}

int main()
{
    int *out = corpus::device_array<int>(256);
    if (corpus::device_has(90)) {
        copy_in_and_out<<<1, 256>>>(out, corpus::device_array<int>(256));
    }
    return corpus::finish("bulk_copies", !corpus::device_has(90) || corpus::read_back(out, 255) == 1);
}
