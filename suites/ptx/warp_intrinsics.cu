// Warp intrinsics: shuffles of every type and width, votes, matches, reductions, masks, warp barriers.
#include "support/launch.cuh"

template <typename T> __global__ void shuffles(T *out)
{
    const int lane = threadIdx.x & 31;
    T value = out[threadIdx.x];
    value += __shfl_sync(0xffffffffu, value, 3);
    value += __shfl_up_sync(0xffffffffu, value, 1);
    value += __shfl_down_sync(0xffffffffu, value, 2, 16);
    value += __shfl_xor_sync(0xffffffffu, value, lane & 7, 8);
    out[threadIdx.x] = value;
}

template __global__ void shuffles<int>(int *);
template __global__ void shuffles<unsigned>(unsigned *);
template __global__ void shuffles<long>(long *);
template __global__ void shuffles<unsigned long long>(unsigned long long *);
template __global__ void shuffles<float>(float *);
template __global__ void shuffles<double>(double *);

__global__ void votes(unsigned *out, int bound)
{
    const bool mine = static_cast<int>(threadIdx.x) < bound;
    out[threadIdx.x] = __ballot_sync(0xffffffffu, mine) + __all_sync(0xffffffffu, mine) + __any_sync(0xffffffffu, mine) + __activemask();
    if (mine) {
        out[threadIdx.x] += __ballot_sync(__activemask(), threadIdx.x & 1);
        __syncwarp(__activemask());
    }
    __syncwarp();
#if __CUDA_ARCH__ < 700
    out[threadIdx.x] += __all_sync(0xffffffffu, !mine);
#endif
}

__global__ void matches(unsigned *out, const int *in, const long long *wide)
{
#if __CUDA_ARCH__ >= 700
    int all = 0;
    out[threadIdx.x] = __match_any_sync(0xffffffffu, in[threadIdx.x]) + __match_any_sync(0xffffffffu, wide[threadIdx.x]);
    out[threadIdx.x] += __match_all_sync(0xffffffffu, in[threadIdx.x], &all) + all;
    out[threadIdx.x] += __match_all_sync(0xffffffffu, static_cast<float>(wide[threadIdx.x]), &all) + all;
#endif
}

__global__ void reductions(unsigned *out, int *signed_out)
{
#if __CUDA_ARCH__ >= 800
    const unsigned mask = 0xffffffffu;
    const unsigned u = out[threadIdx.x];
    const int s = signed_out[threadIdx.x];
    out[threadIdx.x] = __reduce_add_sync(mask, u) + __reduce_min_sync(mask, u) + __reduce_max_sync(mask, u) + __reduce_and_sync(mask, u) + __reduce_or_sync(mask, u)
        + __reduce_xor_sync(mask, u);
    signed_out[threadIdx.x] = __reduce_add_sync(mask, s) + __reduce_min_sync(mask, s) + __reduce_max_sync(mask, s);
#endif
}

__global__ void instructions(unsigned *out)
{
    unsigned d, sum = 0;
    const unsigned value = out[threadIdx.x];
#define SHUFFLE(mode, lane, clamp) asm volatile("shfl.sync." mode ".b32 %0, %1, " lane ", " clamp ", 0xffffffff;" : "=r"(d) : "r"(value), "r"(value)); sum += d;
    SHUFFLE("idx", "3", "31") SHUFFLE("up", "%2", "0") SHUFFLE("down", "1", "0x1f") SHUFFLE("bfly", "16", "%2")
    asm volatile("{.reg .pred p; shfl.sync.up.b32 %0|p, %1, 1, 0, -1; @p add.u32 %0, %0, %1;}" : "=r"(d) : "r"(value)); sum += d;
    asm volatile("{.reg .pred p, q; setp.ne.u32 p, %1, 0; vote.sync.all.pred q, p, 0xffffffff; selp.u32 %0, 1, 0, q;}" : "=r"(d) : "r"(value)); sum += d;
    asm volatile("{.reg .pred p, q; setp.ne.u32 p, %1, 0; vote.sync.any.pred q, !p, -1; vote.sync.uni.pred q, p, -1; selp.u32 %0, 1, 0, q;}" : "=r"(d) : "r"(value)); sum += d;
    asm volatile("{.reg .pred p; setp.ne.u32 p, %1, 0; vote.sync.ballot.b32 %0, !p, %2;}" : "=r"(d) : "r"(value), "r"(~0u)); sum += d;
    asm volatile("activemask.b32 %0;" : "=r"(d)); sum += d;
    asm volatile("bar.warp.sync 0xffffffff;" ::: "memory");
    asm volatile("bar.warp.sync %0;" ::"r"(~0u) : "memory");
#if __CUDA_ARCH__ >= 700
    asm volatile("match.any.sync.b32 %0, %1, 0xffffffff;" : "=r"(d) : "r"(value)); sum += d;
    asm volatile("{.reg .pred p; match.all.sync.b64 %0|p, %1, -1; @!p mov.b32 %0, 1;}" : "=r"(d) : "l"(static_cast<unsigned long long>(value))); sum += d;
    asm volatile("match.all.sync.b32 %0, %1, %2;" : "=r"(d) : "r"(value), "r"(~0u)); sum += d;
#endif
#if __CUDA_ARCH__ >= 800
    asm volatile("redux.sync.add.s32 %0, %1, 0xffffffff;" : "=r"(d) : "r"(value)); sum += d;
    asm volatile("redux.sync.min.u32 %0, %1, %2;" : "=r"(d) : "r"(value), "r"(~0u)); sum += d;
    asm volatile("redux.sync.xor.b32 %0, %1, -1;" : "=r"(d) : "r"(value)); sum += d;
#endif
#if __CUDA_ARCH__ >= 900
    asm volatile("{.reg .pred p; elect.sync %0|p, 0xffffffff; @p add.u32 %0, %0, 1;}" : "=r"(d)); sum += d;
    asm volatile("{.reg .pred p; elect.sync _|p, %1; selp.u32 %0, 1, 0, p;}" : "=r"(d) : "r"(~0u)); sum += d;
#endif
    out[threadIdx.x] = sum;
}

// A tree reduction of a warp, and an inclusive prefix sum: what programs do with shuffles.
__global__ void warp_sum(int *out)
{
    int value = threadIdx.x;
#pragma unroll
    for (int offset = 16; offset > 0; offset >>= 1) {
        value += __shfl_down_sync(0xffffffffu, value, offset);
    }
    int prefix = threadIdx.x;
#pragma unroll 1
    for (int offset = 1; offset < 32; offset <<= 1) {
        const int other = __shfl_up_sync(0xffffffffu, prefix, offset);
        if ((threadIdx.x & 31) >= static_cast<unsigned>(offset)) {
            prefix += other;
        }
    }
    out[threadIdx.x] = threadIdx.x == 0 ? value : prefix;
}

#ifndef __CUDACC_RTC__
int main()
{
    unsigned *out = corpus::device_array<unsigned>(64);
    shuffles<<<1, 32>>>(out);
    votes<<<1, 32>>>(out, 12);
    matches<<<1, 32>>>(out, corpus::device_array<int>(64), corpus::device_array<long long>(64));
    reductions<<<1, 32>>>(out, corpus::device_array<int>(64));
    instructions<<<1, 32>>>(out);
    int *sums = corpus::device_array<int>(64);
    warp_sum<<<1, 32>>>(sums);
    return corpus::finish("warp_intrinsics", corpus::read_back(sums) == 496 && corpus::read_back(sums, 31) == 496);
}
#endif
