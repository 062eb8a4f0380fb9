// Half precision: scalar and paired operators, intrinsics, comparisons, conversions and functions.
//@ architectures: 60 70 75 80 90 90a 100 120
#include <cuda_fp16.h>

#include "support/launch.cuh"

__global__ void scalars(__half *out)
{
    const int i = threadIdx.x;
    const __half a = out[i], b = out[i + 1], c = out[i + 2];
    __half sum = a + b - a * b;
    sum += a / b;
    sum = -sum;
    sum += __hadd(a, b) + __hsub(a, b) + __hmul(a, b) + __hdiv(a, b) + __hadd_rn(a, b) + __hsub_rn(a, b) + __hmul_rn(a, b);
    sum += __hadd_sat(a, b) + __hsub_sat(a, b) + __hmul_sat(a, b) + __hfma(a, b, c) + __hfma_sat(a, b, c) + __habs(a) + __hneg(b);
    sum += __hmin(a, b) + __hmax(a, b) + __hmin_nan(a, b) + __hmax_nan(a, b);
    if (a < b || __heq(a, c) || __hgeu(a, c) || __hisnan(b) || __hisinf(b) || __hltu(b, c) || __hneu(a, b)) {
        sum += c;
    }
    out[i] = sum;
}

__global__ void pairs(__half2 *out)
{
    const int i = threadIdx.x;
    const __half2 a = out[i], b = out[i + 1], c = out[i + 2];
    __half2 sum = a + b * c - a / b;
    sum += __hadd2(a, b) + __hsub2(a, b) + __hmul2(a, b) + __hadd2_sat(a, b) + __hmul2_sat(a, b) + __hfma2(a, b, c) + __hfma2_sat(a, b, c);
    sum += __habs2(a) + __hneg2(b) + __hmin2(a, b) + __hmax2(a, b) + __hmin2_nan(a, b) + __hmax2_nan(a, b) + __h2div(a, b);
    sum += __heq2(a, b) + __hne2(a, b) + __hle2(a, b) + __hgtu2(a, b) + __hisnan2(c) + __hcmadd(a, b, c);
    sum += __lows2half2(a, b) + __highs2half2(a, b) + __low2half2(a) + __high2half2(b) + __lowhigh2highlow(a) + __halves2half2(__low2half(a), __high2half(b));
    if (__hbeq2(a, b) || __hbltu2(a, b) || __hbge2(b, c)) {
        sum += c;
    }
    unsigned mask = __hlt2_mask(a, b) | __hgtu2_mask(a, c);
    out[i] = sum + __float2half2_rn(static_cast<float>(mask));
}

__global__ void fused_relu(__half *out, __half2 *pairs)
{
#if __CUDA_ARCH__ >= 800
    const int i = threadIdx.x;
    out[i] = __hfma_relu(out[i], out[i + 1], out[i + 2]);
    pairs[i] = __hfma2_relu(pairs[i], pairs[i + 1], pairs[i + 2]);
#endif
}

__global__ void conversions(__half *out, float *real, double *wide, int *whole, long long *big)
{
    const int i = threadIdx.x;
    __half sum = __float2half(real[i]) + __float2half_rn(real[i]) + __float2half_rz(real[i]) + __float2half_ru(real[i]) + __float2half_rd(real[i]);
    sum += __double2half(wide[i]) + __int2half_rn(whole[i]) + __int2half_rz(whole[i]) + __uint2half_ru(7u) + __short2half_rd(3) + __ushort2half_rn(4) + __ll2half_rn(big[i]) + __ull2half_rz(9ull);
    real[i] = __half2float(sum) + __low2float(__half2half2(sum));
    whole[i] = __half2int_rn(sum) + __half2int_rz(sum) + static_cast<int>(__half2uint_ru(sum)) + __half2short_rd(sum) + __half2ushort_rn(sum) + __half_as_short(sum);
    big[i] = __half2ll_rn(sum) + static_cast<long long>(__half2ull_rz(sum));
    out[i] = sum + __short_as_half(5) + __ushort_as_half(6);
}

__global__ void functions(__half *out, __half2 *pairs)
{
    const int i = threadIdx.x;
    const __half a = out[i];
    const __half2 p = pairs[i];
    out[i] = hsin(a) + hcos(a) + hexp(a) + hexp2(a) + hexp10(a) + hlog(a) + hlog2(a) + hlog10(a) + hsqrt(a) + hrsqrt(a) + hrcp(a) + htanh(a) + htanh_approx(a)
        + hfloor(a) + hceil(a) + htrunc(a) + hrint(a);
    pairs[i] = h2sin(p) + h2cos(p) + h2exp(p) + h2log2(p) + h2sqrt(p) + h2rcp(p) + h2floor(p) + h2trunc(p) + h2rint(p) + h2tanh(p);
}

__global__ void loads_and_shuffles(__half *out, __half2 *pairs)
{
    const int i = threadIdx.x;
    const __half a = __ldg(out + i) + __ldcg(out + i + 1) + __ldca(out + i + 2) + __ldcs(out + i) + __ldlu(out + i + 3) + __ldcv(out + i);
    __stcg(out + i, __shfl_sync(0xffffffffu, a, 3));
    __stwt(pairs + i, __shfl_xor_sync(0xffffffffu, __ldg(pairs + i), 1));
    out[i] = __shfl_down_sync(0xffffffffu, out[i], 2) + __shfl_up_sync(0xffffffffu, out[i], 2);
}

__global__ void instructions(unsigned short *out, unsigned *pairs)
{
#if __CUDA_ARCH__ >= 530
    const int i = threadIdx.x;
    unsigned short a = out[i], b = out[i + 1], c = out[i + 2], d, sum = 0;
    unsigned x = pairs[i], y = pairs[i + 1], z = pairs[i + 2], w, total = 0;
#define TWO(op) asm(op ".f16 %0, %1, %2;" : "=h"(d) : "h"(a), "h"(b)); sum += d; asm(op ".f16x2 %0, %1, %2;" : "=r"(w) : "r"(x), "r"(y)); total += w;
#define THREE(op) asm(op ".f16 %0, %1, %2, %3;" : "=h"(d) : "h"(a), "h"(b), "h"(c)); sum += d; asm(op ".f16x2 %0, %1, %2, %3;" : "=r"(w) : "r"(x), "r"(y), "r"(z)); total += w;
#define ONE(op) asm(op ".f16 %0, %1;" : "=h"(d) : "h"(a)); sum += d; asm(op ".f16x2 %0, %1;" : "=r"(w) : "r"(x)); total += w;
    TWO("add") TWO("add.rn") TWO("add.ftz") TWO("add.sat") TWO("add.rn.ftz.sat") TWO("sub") TWO("sub.ftz.sat") TWO("mul") TWO("mul.rn.ftz")
    THREE("fma.rn") THREE("fma.rn.ftz") THREE("fma.rn.sat") THREE("fma.rn.ftz.sat") ONE("neg") ONE("neg.ftz") ONE("abs") ONE("abs.ftz")
#if __CUDA_ARCH__ >= 750
    ONE("ex2.approx") ONE("tanh.approx")
#endif
#if __CUDA_ARCH__ >= 800
    TWO("min") TWO("min.ftz") TWO("max.NaN") TWO("max.ftz.NaN") THREE("fma.rn.relu") THREE("fma.rn.ftz.relu")
#endif
#if __CUDA_ARCH__ >= 860
    TWO("min.xorsign.abs") TWO("max.NaN.xorsign.abs")
#endif
    asm("{.reg .pred p, q; setp.lt.f16 p, %1, %2; setp.geu.ftz.f16 q, %1, %2; setp.eq.and.f16 p, %1, %2, q; selp.b16 %0, %1, %2, p;}" : "=h"(d) : "h"(a), "h"(b)); sum += d;
    asm("{.reg .pred p, q; setp.lt.f16x2 p|q, %1, %2; setp.ne.and.f16x2 p|q, %1, %2, p; selp.b32 %0, %1, %2, q;}" : "=r"(w) : "r"(x), "r"(y)); total += w;
    asm("set.lt.f16x2.f16x2 %0, %1, %2;" : "=r"(w) : "r"(x), "r"(y)); total += w;
    asm("set.ge.ftz.u32.f16 %0, %1, %2;" : "=r"(w) : "h"(a), "h"(b)); total += w;
    asm("{.reg .f16 lo, hi; mov.b32 {lo, hi}, %1; mov.b32 %0, {hi, lo};}" : "=r"(w) : "r"(x)); total += w;
    out[i] = sum;
    pairs[i] = total;
#endif
}

#ifndef __CUDACC_RTC__
int main()
{
    __half *out = corpus::device_array<__half>(64);
    __half2 *both = corpus::device_array<__half2>(64);
    scalars<<<1, 32>>>(out);
    pairs<<<1, 32>>>(both);
    conversions<<<1, 32>>>(out, corpus::device_array<float>(64), corpus::device_array<double>(64), corpus::device_array<int>(64), corpus::device_array<long long>(64));
    functions<<<1, 32>>>(out, both);
    loads_and_shuffles<<<1, 32>>>(out, both);
    return corpus::finish("half_arithmetic");
}
#endif
