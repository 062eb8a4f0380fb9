// The fifth generation of tensor cores through cuda::ptx: allocation, copies, loads, stores, multiplication.
//@ architectures: 100a
#include <cuda/ptx>

#include "support/launch.cuh"

namespace ptx = cuda::ptx;

// The compiler also makes a generic sm_100 image of an executable, which has none of these instructions.
#if !defined(__CUDA_ARCH__) || defined(__CUDA_ARCH_FEAT_SM100_ALL)

template <ptx::dot_cta_group Group> __device__ void allocation(uint32_t *slot, uint64_t *barrier, ptx::cta_group_t<Group> group)
{
    ptx::tcgen05_alloc(group, slot, 64);
    ptx::tcgen05_dealloc(group, *slot, 64);
    ptx::tcgen05_relinquish_alloc_permit(group);
    ptx::tcgen05_commit(group, barrier);
    ptx::tcgen05_commit_multicast(group, barrier, static_cast<uint16_t>(3));
    ptx::tcgen05_shift_down(group, *slot);
}

template <ptx::dot_cta_group Group> __device__ void copies(uint32_t address, uint64_t descriptor, ptx::cta_group_t<Group> group)
{
    ptx::tcgen05_cp_128x256b(group, address, descriptor);
    ptx::tcgen05_cp_4x256b(group, address, descriptor);
    ptx::tcgen05_cp_128x128b(group, address, descriptor);
    ptx::tcgen05_cp_64x128b_warpx2_02_13(group, address, descriptor);
    ptx::tcgen05_cp_64x128b_warpx2_01_23(group, address, descriptor);
    ptx::tcgen05_cp_32x128b_warpx4(group, address, descriptor);
    ptx::tcgen05_cp_128x256b_b8x16_b6x16_p32(group, address, descriptor);
    ptx::tcgen05_cp_32x128b_warpx4_b8x16_b4x16_p64(group, address, descriptor);
}

template <int Registers> __device__ uint32_t sum_of(const uint32_t (&values)[Registers])
{
    uint32_t sum = 0;
    for (uint32_t value : values) {
        sum += value;
    }
    return sum;
}

__device__ uint32_t loads_and_stores(uint32_t address)
{
    uint32_t one[1], two[2], four[4], eight[8], sixteen[16], all[128], sum = 0;
    ptx::tcgen05_ld_16x64b(one, address);
    ptx::tcgen05_ld_16x64b_pack_16b(one, address);
    ptx::tcgen05_ld_16x128b(two, address);
    ptx::tcgen05_ld_16x256b(four, address);
    ptx::tcgen05_ld_32x32b(eight, address);
    ptx::tcgen05_ld_32x32b_pack_16b(sixteen, address);
    ptx::tcgen05_ld_16x32bx2(two, address, ptx::n32_t<2>{});
    ptx::tcgen05_ld_32x32b(all, address);
    ptx::tcgen05_wait_ld();
    sum = sum_of(one) + sum_of(two) + sum_of(four) + sum_of(eight) + sum_of(sixteen) + sum_of(all);
    ptx::tcgen05_st_16x64b(address, one);
    ptx::tcgen05_st_16x64b_unpack_16b(address, one);
    ptx::tcgen05_st_16x128b(address, two);
    ptx::tcgen05_st_16x256b(address, four);
    ptx::tcgen05_st_32x32b(address, eight);
    ptx::tcgen05_st_16x32bx2(address, ptx::n32_t<4>{}, two);
    ptx::tcgen05_st_32x32b(address, all);
    ptx::tcgen05_wait_st();
    return sum;
}

template <typename Kind, ptx::dot_cta_group Group>
__device__ void multiply(Kind kind, ptx::cta_group_t<Group> group, uint32_t d, uint32_t a, uint64_t a_descriptor, uint64_t b_descriptor, uint32_t instruction, bool enable)
{
    ptx::tcgen05_mma(kind, group, d, a_descriptor, b_descriptor, instruction, enable);
    ptx::tcgen05_mma_tmem_a(kind, group, d, a, b_descriptor, instruction, enable);
}

__global__ void everything(uint32_t *out, uint64_t a_descriptor, uint64_t b_descriptor, uint32_t instruction, bool enable)
{
    __shared__ uint32_t slot;
    __shared__ uint64_t barrier;
    allocation(&slot, &barrier, ptx::cta_group_1);
    copies(slot, a_descriptor, ptx::cta_group_1);
    ptx::tcgen05_fence_before_thread_sync();
    __syncthreads();
    ptx::tcgen05_fence_after_thread_sync();
    multiply(ptx::kind_f16, ptx::cta_group_1, slot, slot + 64, a_descriptor, b_descriptor, instruction, enable);
    multiply(ptx::kind_tf32, ptx::cta_group_1, slot, slot + 64, a_descriptor, b_descriptor, instruction, enable);
    multiply(ptx::kind_f8f6f4, ptx::cta_group_1, slot, slot + 64, a_descriptor, b_descriptor, instruction, enable);
    multiply(ptx::kind_i8, ptx::cta_group_1, slot, slot + 64, a_descriptor, b_descriptor, instruction, enable);
    out[threadIdx.x] = loads_and_stores(slot);
}

__global__ void pairs_of_blocks(uint64_t a_descriptor, uint64_t b_descriptor, uint32_t instruction, bool enable)
{
    __shared__ uint32_t slot;
    __shared__ uint64_t barrier;
    allocation(&slot, &barrier, ptx::cta_group_2);
    copies(slot, a_descriptor, ptx::cta_group_2);
    multiply(ptx::kind_f16, ptx::cta_group_2, slot, slot + 64, a_descriptor, b_descriptor, instruction, enable);
}

__global__ void by_assembly(uint32_t d, uint32_t a, uint64_t a_descriptor, uint64_t b_descriptor, uint32_t instruction, uint32_t scale)
{
#define WITH_PREDICATE(text) "{.reg .pred p; setp.ne.b32 p, %4, 0; " text "}"
    asm volatile(WITH_PREDICATE("tcgen05.mma.cta_group::1.kind::f16 [%0], %1, %2, %3, {%4, %4, %4, %4}, p;") ::"r"(d), "l"(a_descriptor), "l"(b_descriptor), "r"(instruction), "r"(1) : "memory");
    asm volatile(WITH_PREDICATE("tcgen05.mma.cta_group::1.kind::f16 [%0], %1, %2, %3, p, 4;") ::"r"(d), "l"(a_descriptor), "l"(b_descriptor), "r"(instruction), "r"(1) : "memory");
    asm volatile(WITH_PREDICATE("tcgen05.mma.cta_group::1.kind::f8f6f4.collector::a::fill [%0], %1, %2, %3, p;") ::"r"(d), "l"(a_descriptor), "l"(b_descriptor), "r"(instruction), "r"(1) : "memory");
    asm volatile(WITH_PREDICATE("tcgen05.mma.cta_group::1.kind::tf32.collector::a::lastuse [%0], [%5], %2, %3, p;") ::"r"(d), "l"(a_descriptor), "l"(b_descriptor), "r"(instruction), "r"(1), "r"(a) : "memory");
    asm volatile(WITH_PREDICATE("tcgen05.mma.cta_group::1.kind::mxf8f6f4.block_scale.scale_vec::1X [%0], %1, %2, %3, [%5], [%5], p;") ::"r"(d), "l"(a_descriptor), "l"(b_descriptor), "r"(instruction), "r"(1), "r"(scale) : "memory");
    asm volatile(WITH_PREDICATE("tcgen05.mma.cta_group::1.kind::mxf4nvf4.block_scale.scale_vec::4X [%0], %1, %2, %3, [%5], [%5], p;") ::"r"(d), "l"(a_descriptor), "l"(b_descriptor), "r"(instruction), "r"(1), "r"(scale) : "memory");
    asm volatile(WITH_PREDICATE("tcgen05.mma.sp.cta_group::1.kind::f16 [%0], %1, %2, [%5], %3, p;") ::"r"(d), "l"(a_descriptor), "l"(b_descriptor), "r"(instruction), "r"(1), "r"(scale) : "memory");
    asm volatile(WITH_PREDICATE("tcgen05.mma.ws.cta_group::1.kind::f16.collector::b0::fill [%0], %1, %2, %3, p;") ::"r"(d), "l"(a_descriptor), "l"(b_descriptor), "r"(instruction), "r"(1) : "memory");
    asm volatile(WITH_PREDICATE("tcgen05.mma.ws.sp.cta_group::1.kind::i8 [%0], [%5], %2, [%6], %3, p;") ::"r"(d), "l"(a_descriptor), "l"(b_descriptor), "r"(instruction), "r"(1), "r"(a), "r"(scale) : "memory");
}

#endif

int main()
{
    return corpus::finish("tcgen05_through_headers");
}
