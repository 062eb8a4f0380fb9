// Single precision: every operation in every rounding mode, with flushing, saturation and fused multiply-add.
#include "support/launch.cuh"

__global__ void intrinsics(float *out)
{
    const int i = threadIdx.x;
    const float a = out[i], b = out[i + 1], c = out[i + 2];
    float sum = 0;
#define ROUNDINGS2(name) sum += name##_rn(a, b) + name##_rz(a, b) + name##_ru(a, b) + name##_rd(a, b);
#define ROUNDINGS1(name) sum += name##_rn(a) + name##_rz(a) + name##_ru(a) + name##_rd(a);
    ROUNDINGS2(__fadd) ROUNDINGS2(__fsub) ROUNDINGS2(__fmul) ROUNDINGS2(__fdiv)
    ROUNDINGS1(__frcp) ROUNDINGS1(__fsqrt)
    sum += __fmaf_rn(a, b, c) + __fmaf_rz(a, b, c) + __fmaf_ru(a, b, c) + __fmaf_rd(a, b, c);
    sum += __fmaf_ieee_rn(a, b, c) + __fmaf_ieee_rz(a, b, c) + __fmaf_ieee_ru(a, b, c) + __fmaf_ieee_rd(a, b, c);
    sum += __frsqrt_rn(a) + __fdividef(a, b) + __saturatef(a);
    out[i] = sum;
}

__global__ void operators(float *out, float2 *pairs, float4 *quads)
{
    const int i = threadIdx.x;
    const float a = out[i], b = out[i + 1];
    out[i] = a * b + a / b - (-a) + fminf(a, b) * fmaxf(a, 3.5f) + fabsf(b) + copysignf(a, b) + sqrtf(a) + 1.0f / b;
    out[i] += (a < b) + (a <= b) * 2.0f + (a == b ? 1e-40f : 3.4e38f) + (isnan(a) ? 1.0f : 0.0f) + (isinf(b) ? 2.0f : signbit(a));
    pairs[i] = make_float2(pairs[i].x + a, pairs[i].y * b);
    quads[i] = make_float4(quads[i].w, quads[i].z, quads[i].y - a, quads[i].x + b);
}

__global__ void instructions(float *out)
{
    const int i = threadIdx.x;
    const float a = out[i], b = out[i + 1], c = out[i + 2];
    float d, sum = 0;
#define TWO(op) asm(op ".f32 %0, %1, %2;" : "=f"(d) : "f"(a), "f"(b)); sum += d;
#define THREE(op) asm(op ".f32 %0, %1, %2, %3;" : "=f"(d) : "f"(a), "f"(b), "f"(c)); sum += d;
#define ONE(op) asm(op ".f32 %0, %1;" : "=f"(d) : "f"(a)); sum += d;
    TWO("add") TWO("add.rn") TWO("add.rz.ftz") TWO("add.rm.sat") TWO("add.rp.ftz.sat") TWO("add.ftz.sat")
    TWO("sub") TWO("sub.rz") TWO("sub.rp.sat") TWO("sub.ftz")
    TWO("mul") TWO("mul.rm") TWO("mul.rn.ftz.sat") TWO("mul.sat")
    THREE("fma.rn") THREE("fma.rz.ftz") THREE("fma.rm.sat") THREE("fma.rp.ftz.sat") THREE("mad.rn") THREE("mad.rz.ftz")
    TWO("div.approx") TWO("div.approx.ftz") TWO("div.full") TWO("div.full.ftz") TWO("div.rn") TWO("div.rz.ftz") TWO("div.rm") TWO("div.rp")
    ONE("rcp.approx") ONE("rcp.approx.ftz") ONE("rcp.rn") ONE("rcp.rz.ftz") ONE("rcp.rm") ONE("rcp.rp")
    ONE("sqrt.approx") ONE("sqrt.approx.ftz") ONE("sqrt.rn") ONE("sqrt.rz.ftz") ONE("sqrt.rm") ONE("sqrt.rp")
    ONE("rsqrt.approx") ONE("rsqrt.approx.ftz") ONE("sin.approx") ONE("sin.approx.ftz") ONE("cos.approx") ONE("cos.approx.ftz")
    ONE("lg2.approx") ONE("lg2.approx.ftz") ONE("ex2.approx") ONE("ex2.approx.ftz")
    ONE("abs") ONE("abs.ftz") ONE("neg") ONE("neg.ftz")
    TWO("min") TWO("min.ftz") TWO("max") TWO("max.ftz") TWO("copysign")
#if __CUDA_ARCH__ >= 750
    ONE("tanh.approx")
#endif
#if __CUDA_ARCH__ >= 800
    TWO("min.NaN") TWO("max.ftz.NaN")
#endif
#if __CUDA_ARCH__ >= 860
    TWO("min.xorsign.abs") TWO("max.NaN.xorsign.abs") TWO("min.ftz.NaN.xorsign.abs")
#endif
#if __CUDA_ARCH__ >= 1000
    THREE("min") THREE("max.NaN") THREE("min.ftz.NaN.abs") THREE("max.abs")
#endif
    asm("{.reg .pred p; testp.finite.f32 p, %1; selp.f32 %0, 0f3F800000, %1, p;}" : "=f"(d) : "f"(a)); sum += d;
    asm("{.reg .pred p; testp.infinite.f32 p, %1; selp.f32 %0, 0f3F800000, %1, p;}" : "=f"(d) : "f"(a)); sum += d;
    asm("{.reg .pred p; testp.number.f32 p, %1; @p mov.f32 %0, 0F40000000; @!p mov.f32 %0, 0fff800000;}" : "=f"(d) : "f"(a)); sum += d;
    asm("{.reg .pred p; testp.notanumber.f32 p, %1; testp.normal.f32 p, %1; testp.subnormal.f32 p, %1; selp.f32 %0, %1, 1.5, p;}" : "=f"(d) : "f"(a)); sum += d;
    out[i] = sum;
}

// Pairs of single-precision numbers in one 64-bit register (sm_100 and later).
__global__ void packed_pairs(unsigned long long *out)
{
#if __CUDA_ARCH__ >= 1000
    const int i = threadIdx.x;
    unsigned long long a = out[i], b = out[i + 1], c = out[i + 2], d, sum = 0;
    asm("add.f32x2 %0, %1, %2;" : "=l"(d) : "l"(a), "l"(b)); sum ^= d;
    asm("add.rz.ftz.f32x2 %0, %1, %2;" : "=l"(d) : "l"(a), "l"(b)); sum ^= d;
    asm("sub.rn.f32x2 %0, %1, %2;" : "=l"(d) : "l"(a), "l"(b)); sum ^= d;
    asm("mul.rm.f32x2 %0, %1, %2;" : "=l"(d) : "l"(a), "l"(b)); sum ^= d;
    asm("fma.rn.f32x2 %0, %1, %2, %3;" : "=l"(d) : "l"(a), "l"(b), "l"(c)); sum ^= d;
    asm("fma.rp.ftz.f32x2 %0, %1, %2, %3;" : "=l"(d) : "l"(a), "l"(b), "l"(c)); sum ^= d;
    out[i] = sum;
#endif
}

__global__ void special_constants(float *out, int which)
{
    const float table[8] = {0.0f, -0.0f, 1.0f / 3.0f, __int_as_float(0x7f800000), __int_as_float(0xff800000), 1.17549435e-38f, 1.4e-45f, 3.40282347e38f};
    out[0] = table[which & 7];
    out[1] = __int_as_float(0x7fc00001);
    out[2] = __uint_as_float(static_cast<unsigned>(which));
    out[3] = static_cast<float>(__float_as_int(out[2]) + static_cast<int>(__float_as_uint(out[1])));
}

#ifndef __CUDACC_RTC__
int main()
{
    float *out = corpus::device_array<float>(64);
    intrinsics<<<1, 32>>>(out);
    operators<<<1, 32>>>(out, corpus::device_array<float2>(64), corpus::device_array<float4>(64));
    instructions<<<1, 32>>>(out);
    special_constants<<<1, 1>>>(out, 2);
    return corpus::finish("float32_arithmetic", corpus::read_back(out) == 1.0f / 3.0f);
}
#endif
