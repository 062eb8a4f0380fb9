// bfloat16: scalar and paired operators, intrinsics, comparisons, conversions, functions and instructions.
#include <cuda_bf16.h>

#include "support/launch.cuh"

__global__ void scalars(__nv_bfloat16 *out)
{
    const int i = threadIdx.x;
    [[maybe_unused]] const __nv_bfloat16 a = out[i], b = out[i + 1], c = out[i + 2];
    __nv_bfloat16 sum = a + b - a * b;
    sum += a / b;
#if __CUDA_ARCH__ >= 800
    sum += __hadd_sat(a, b) + __hsub_sat(a, b) + __hmul_sat(a, b) + __hfma(a, b, c) + __hfma_sat(a, b, c) + __habs(a) + __hneg(b);
    sum += __hmin(a, b) + __hmax(a, b) + __hmin_nan(a, b) + __hmax_nan(a, b);
#endif
    if (a < b || __heq(a, c) || __hgeu(a, c) || __hisnan(b) || __hltu(b, c)) {
        sum += c;
    }
    out[i] = sum;
}

__global__ void pairs(__nv_bfloat162 *out)
{
    const int i = threadIdx.x;
    const __nv_bfloat162 a = out[i], b = out[i + 1], c = out[i + 2];
    __nv_bfloat162 sum = a + b * c - a / b;
#if __CUDA_ARCH__ >= 800
    sum += __hadd2_sat(a, b) + __hmul2_sat(a, b) + __hfma2(a, b, c) + __hfma2_sat(a, b, c) + __habs2(a) + __hneg2(b) + __hmin2(a, b) + __hmax2_nan(a, b);
    sum += __heq2(a, b) + __hne2(a, b) + __hgtu2(a, b) + __hcmadd(a, b, c) + __lowhigh2highlow(a);
#endif
    if (__hbeq2(a, b) || __hbltu2(a, b)) {
        sum += c;
    }
    out[i] = sum;
}

__global__ void conversions(__nv_bfloat16 *out, float *real, double *wide, int *whole, long long *big, float2 *both)
{
    const int i = threadIdx.x;
    __nv_bfloat16 sum = __float2bfloat16(real[i]) + __float2bfloat16_rn(real[i]) + __float2bfloat16_rz(real[i]) + __float2bfloat16_ru(real[i]) + __float2bfloat16_rd(real[i]);
    sum += __double2bfloat16(wide[i]) + __int2bfloat16_rn(whole[i]) + __uint2bfloat16_ru(7u) + __short2bfloat16_rd(3) + __ll2bfloat16_rn(big[i]) + __ull2bfloat16_rz(9ull);
    real[i] = __bfloat162float(sum);
    whole[i] = __bfloat162int_rn(sum) + __bfloat162int_rz(sum) + static_cast<int>(__bfloat162uint_ru(sum)) + __bfloat162short_rd(sum);
    big[i] = __bfloat162ll_rn(sum) + static_cast<long long>(__bfloat162ull_rz(sum));
    const __nv_bfloat162 pair = __float22bfloat162_rn(both[i]);
    both[i] = __bfloat1622float2(pair);
    out[i] = sum;
}

__global__ void functions(__nv_bfloat16 *out, __nv_bfloat162 *pairs)
{
    const int i = threadIdx.x;
    const __nv_bfloat16 a = out[i];
    const __nv_bfloat162 p = pairs[i];
    out[i] = hsin(a) + hcos(a) + hexp(a) + hexp2(a) + hlog(a) + hlog10(a) + hsqrt(a) + hrsqrt(a) + hrcp(a) + htanh(a) + hfloor(a) + hceil(a) + htrunc(a) + hrint(a);
    pairs[i] = h2sin(p) + h2cos(p) + h2exp(p) + h2log2(p) + h2sqrt(p) + h2rcp(p) + h2floor(p) + h2trunc(p) + h2tanh(p);
}

__global__ void loads_and_shuffles(__nv_bfloat16 *out, __nv_bfloat162 *pairs)
{
    const int i = threadIdx.x;
    const __nv_bfloat16 a = __ldg(out + i) + __ldcg(out + i + 1) + __ldcs(out + i);
    __stcs(out + i, __shfl_sync(0xffffffffu, a, 3));
    __stwt(pairs + i, __shfl_xor_sync(0xffffffffu, __ldg(pairs + i), 1));
}

__global__ void instructions(unsigned short *out, unsigned *pairs)
{
#if __CUDA_ARCH__ >= 800
    const int i = threadIdx.x;
    unsigned short a = out[i], b = out[i + 1], c = out[i + 2], d, sum = 0;
    unsigned x = pairs[i], y = pairs[i + 1], z = pairs[i + 2], w, total = 0;
#define TWO(op) asm(op ".bf16 %0, %1, %2;" : "=h"(d) : "h"(a), "h"(b)); sum += d; asm(op ".bf16x2 %0, %1, %2;" : "=r"(w) : "r"(x), "r"(y)); total += w;
#define THREE(op) asm(op ".bf16 %0, %1, %2, %3;" : "=h"(d) : "h"(a), "h"(b), "h"(c)); sum += d; asm(op ".bf16x2 %0, %1, %2, %3;" : "=r"(w) : "r"(x), "r"(y), "r"(z)); total += w;
#define ONE(op) asm(op ".bf16 %0, %1;" : "=h"(d) : "h"(a)); sum += d; asm(op ".bf16x2 %0, %1;" : "=r"(w) : "r"(x)); total += w;
    THREE("fma.rn") THREE("fma.rn.relu") ONE("neg") ONE("abs") TWO("min") TWO("max") TWO("min.NaN") TWO("max.NaN")
#if __CUDA_ARCH__ >= 860
    TWO("min.NaN.xorsign.abs")
#endif
#if __CUDA_ARCH__ >= 900
    TWO("add") TWO("add.rn") TWO("sub") TWO("mul.rn") ONE("ex2.approx.ftz") ONE("tanh.approx")
    asm("{.reg .pred p; setp.lt.bf16 p, %1, %2; selp.b16 %0, %1, %2, p;}" : "=h"(d) : "h"(a), "h"(b)); sum += d;
    asm("{.reg .pred p, q; setp.geu.bf16x2 p|q, %1, %2; selp.b32 %0, %1, %2, q;}" : "=r"(w) : "r"(x), "r"(y)); total += w;
    asm("set.eq.bf16.bf16 %0, %1, %2;" : "=h"(d) : "h"(a), "h"(b)); sum += d;
    asm("fma.rn.oob.bf16 %0, %1, %2, %3;" : "=h"(d) : "h"(a), "h"(b), "h"(c)); sum += d;
    asm("fma.rn.oob.relu.f16x2 %0, %1, %2, %3;" : "=r"(w) : "r"(x), "r"(y), "r"(z)); total += w;
#endif
    out[i] = sum;
    pairs[i] = total;
#endif
}

// Mixed precision: half or bfloat16 operands with single-precision results (sm_100 and later).
__global__ void mixed_precision(float *out, unsigned short *narrow)
{
#if __CUDA_ARCH__ >= 1000
    const int i = threadIdx.x;
    float f, sum = 0;
    asm("add.f32.f16 %0, %1, %2;" : "=f"(f) : "h"(narrow[i]), "f"(out[i])); sum += f;
    asm("add.rz.sat.f32.bf16 %0, %1, %2;" : "=f"(f) : "h"(narrow[i]), "f"(out[i])); sum += f;
    asm("sub.rn.f32.bf16 %0, %1, %2;" : "=f"(f) : "h"(narrow[i]), "f"(out[i])); sum += f;
    asm("fma.rn.f32.f16 %0, %1, %2, %3;" : "=f"(f) : "h"(narrow[i]), "h"(narrow[i + 1]), "f"(out[i])); sum += f;
    asm("fma.rm.sat.f32.bf16 %0, %1, %2, %3;" : "=f"(f) : "h"(narrow[i]), "h"(narrow[i + 1]), "f"(out[i])); sum += f;
    out[i] = sum;
#endif
}

#ifndef __CUDACC_RTC__
int main()
{
    __nv_bfloat16 *out = corpus::device_array<__nv_bfloat16>(64);
    __nv_bfloat162 *both = corpus::device_array<__nv_bfloat162>(64);
    scalars<<<1, 32>>>(out);
    pairs<<<1, 32>>>(both);
    functions<<<1, 32>>>(out, both);
    loads_and_shuffles<<<1, 32>>>(out, both);
    return corpus::finish("bfloat16_arithmetic");
}
#endif
