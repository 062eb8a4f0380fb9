// 8-, 6- and 4-bit floating-point types: the header types, and the conversion instructions behind them.
//@ architectures: 75 80 90 90a 100 100a 120 120a
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp4.h>
#include <cuda_fp6.h>
#include <cuda_fp8.h>

#include "support/launch.cuh"

template <typename Narrow> __global__ void scalar_round_trip(Narrow *out, float *real, double *wide, __half *half, __nv_bfloat16 *brain)
{
    const int i = threadIdx.x;
    out[4 * i] = Narrow(real[i]);
    out[4 * i + 1] = Narrow(half[i]);
    out[4 * i + 2] = Narrow(brain[i]);
    out[4 * i + 3] = Narrow(wide[i]);
    real[i] = static_cast<float>(out[4 * i]) + static_cast<float>(out[4 * i + 3]);
    half[i] = static_cast<__half>(out[4 * i + 1]);
    brain[i] = static_cast<__nv_bfloat16>(out[4 * i + 2]);
}

#define SCALAR(type) template __global__ void scalar_round_trip<type>(type *, float *, double *, __half *, __nv_bfloat16 *);
SCALAR(__nv_fp8_e4m3)
SCALAR(__nv_fp8_e5m2)
SCALAR(__nv_fp6_e2m3)
SCALAR(__nv_fp6_e3m2)
SCALAR(__nv_fp4_e2m1)

template <typename Pair> __global__ void pair_round_trip(Pair *out, float2 *real, __half2 *half)
{
    const int i = threadIdx.x;
    out[2 * i] = Pair(real[i]);
    out[2 * i + 1] = Pair(half[i]);
    real[i] = static_cast<float2>(out[2 * i]);
    half[i] = static_cast<__half2>(out[2 * i + 1]);
}

#define PAIR(type) template __global__ void pair_round_trip<type>(type *, float2 *, __half2 *);
PAIR(__nv_fp8x2_e4m3)
PAIR(__nv_fp8x2_e5m2)
PAIR(__nv_fp6x2_e2m3)
PAIR(__nv_fp6x2_e3m2)
PAIR(__nv_fp4x2_e2m1)

__global__ void scale_factors(__nv_fp8_e8m0 *out, float *real)
{
    out[threadIdx.x] = __nv_fp8_e8m0(real[threadIdx.x]);
    real[threadIdx.x] = static_cast<float>(out[threadIdx.x]);
}

__global__ void instructions(unsigned short *out, unsigned *pairs, float *real)
{
    const int i = threadIdx.x;
    [[maybe_unused]] const float a = real[i], b = real[i + 1];
    [[maybe_unused]] unsigned short h = out[i], sum = 0;
    [[maybe_unused]] unsigned w = pairs[i], total = 0;
#if __CUDA_ARCH__ >= 890
    asm("cvt.rn.satfinite.e4m3x2.f32 %0, %1, %2;" : "=h"(h) : "f"(a), "f"(b)); sum += h;
    asm("cvt.rn.satfinite.relu.e5m2x2.f32 %0, %1, %2;" : "=h"(h) : "f"(a), "f"(b)); sum += h;
    asm("cvt.rn.satfinite.e5m2x2.f16x2 %0, %1;" : "=h"(h) : "r"(w)); sum += h;
    asm("cvt.rn.satfinite.relu.e4m3x2.f16x2 %0, %1;" : "=h"(h) : "r"(w)); sum += h;
    asm("cvt.rn.f16x2.e4m3x2 %0, %1;" : "=r"(w) : "h"(h)); total += w;
    asm("cvt.rn.relu.f16x2.e5m2x2 %0, %1;" : "=r"(w) : "h"(h)); total += w;
#endif
#if defined(__CUDA_ARCH_FEAT_SM100_ALL) || defined(__CUDA_ARCH_FEAT_SM120_ALL)
    asm("cvt.rn.satfinite.e2m3x2.f32 %0, %1, %2;" : "=h"(h) : "f"(a), "f"(b)); sum += h;
    asm("cvt.rn.satfinite.relu.e3m2x2.f32 %0, %1, %2;" : "=h"(h) : "f"(a), "f"(b)); sum += h;
    asm("cvt.rn.f16x2.e2m3x2 %0, %1;" : "=r"(w) : "h"(h)); total += w;
    asm("cvt.rn.relu.f16x2.e3m2x2 %0, %1;" : "=r"(w) : "h"(h)); total += w;
    asm("{.reg .b8 n; cvt.rn.satfinite.e2m1x2.f32 n, %1, %2; mov.b16 %0, {n, 0};}" : "=h"(h) : "f"(a), "f"(b)); sum += h;
    asm("{.reg .b8 n, z; mov.b16 {n, z}, %1; cvt.rn.f16x2.e2m1x2 %0, n;}" : "=r"(w) : "h"(h)); total += w;
    asm("cvt.rz.satfinite.ue8m0x2.f32 %0, %1, %2;" : "=h"(h) : "f"(a), "f"(b)); sum += h;
    asm("cvt.rp.ue8m0x2.bf16x2 %0, %1;" : "=h"(h) : "r"(w)); sum += h;
    asm("cvt.rn.bf16x2.ue8m0x2 %0, %1;" : "=r"(w) : "h"(h)); total += w;
#endif
#if defined(__CUDA_ARCH_FEAT_SM100_ALL)
    asm("cvt.rs.f16x2.f32 %0, %1, %2, %3;" : "=r"(w) : "f"(a), "f"(b), "r"(total)); total += w;
    asm("cvt.rs.relu.satfinite.bf16x2.f32 %0, %1, %2, %3;" : "=r"(w) : "f"(a), "f"(b), "r"(total)); total += w;
    asm("cvt.rs.satfinite.e4m3x4.f32 %0, {%1, %2, %3, %4}, %5;" : "=r"(w) : "f"(a), "f"(b), "f"(b), "f"(a), "r"(total)); total += w;
    asm("cvt.rs.relu.satfinite.e2m1x4.f32 %0, {%1, %2, %3, %4}, %5;" : "=h"(h) : "f"(a), "f"(b), "f"(b), "f"(a), "r"(total)); sum += h;
#endif
    out[i] = sum;
    pairs[i] = total;
}

#ifndef __CUDACC_RTC__
int main()
{
    scalar_round_trip<<<1, 32>>>(corpus::device_array<__nv_fp8_e4m3>(256), corpus::device_array<float>(64), corpus::device_array<double>(64),
        corpus::device_array<__half>(64), corpus::device_array<__nv_bfloat16>(64));
    return corpus::finish("narrow_float_conversions");
}
#endif
