// Double precision: every operation in every rounding mode, comparisons, bit casts and constants.
#include "support/launch.cuh"

__global__ void intrinsics(double *out)
{
    const int i = threadIdx.x;
    const double a = out[i], b = out[i + 1], c = out[i + 2];
    double sum = 0;
#define ROUNDINGS2(name) sum += name##_rn(a, b) + name##_rz(a, b) + name##_ru(a, b) + name##_rd(a, b);
#define ROUNDINGS1(name) sum += name##_rn(a) + name##_rz(a) + name##_ru(a) + name##_rd(a);
    ROUNDINGS2(__dadd) ROUNDINGS2(__dsub) ROUNDINGS2(__dmul) ROUNDINGS2(__ddiv)
    ROUNDINGS1(__drcp) ROUNDINGS1(__dsqrt)
    sum += __fma_rn(a, b, c) + __fma_rz(a, b, c) + __fma_ru(a, b, c) + __fma_rd(a, b, c);
    out[i] = sum;
}

__global__ void operators(double *out, double2 *pairs, long long *bits)
{
    const int i = threadIdx.x;
    const double a = out[i], b = out[i + 1];
    out[i] = a * b + a / b - (-a) + fmin(a, b) * fmax(a, 3.5) + fabs(b) + copysign(a, b) + sqrt(a) + 1.0 / b;
    out[i] += (a < b) + (a <= b) * 2.0 + (a == b ? 4.9e-324 : 1.7976931348623157e308) + (isnan(a) ? 1.0 : 0.0) + isfinite(b);
    pairs[i] = make_double2(pairs[i].y + a, pairs[i].x * b);
    bits[i] = __double_as_longlong(out[i]) + __double2hiint(a) + __double2loint(b);
    out[i] += __longlong_as_double(bits[i]) + __hiloint2double(i, 7);
}

__global__ void instructions(double *out)
{
    const int i = threadIdx.x;
    const double a = out[i], b = out[i + 1], c = out[i + 2];
    double d, sum = 0;
#define TWO(op) asm(op ".f64 %0, %1, %2;" : "=d"(d) : "d"(a), "d"(b)); sum += d;
#define THREE(op) asm(op ".f64 %0, %1, %2, %3;" : "=d"(d) : "d"(a), "d"(b), "d"(c)); sum += d;
#define ONE(op) asm(op ".f64 %0, %1;" : "=d"(d) : "d"(a)); sum += d;
    TWO("add") TWO("add.rn") TWO("add.rz") TWO("add.rm") TWO("add.rp")
    TWO("sub") TWO("sub.rz") TWO("mul") TWO("mul.rm") TWO("mul.rp")
    THREE("fma.rn") THREE("fma.rz") THREE("fma.rm") THREE("fma.rp") THREE("mad.rn") THREE("mad.rp")
    TWO("div.rn") TWO("div.rz") TWO("div.rm") TWO("div.rp")
    ONE("rcp.rn") ONE("rcp.rz") ONE("rcp.rm") ONE("rcp.rp") ONE("rcp.approx.ftz")
    ONE("sqrt.rn") ONE("sqrt.rz") ONE("sqrt.rm") ONE("sqrt.rp") ONE("rsqrt.approx") ONE("rsqrt.approx.ftz")
    ONE("abs") ONE("neg") TWO("min") TWO("max") TWO("copysign")
    asm("{.reg .pred p; testp.subnormal.f64 p, %1; selp.f64 %0, 0d3FF0000000000000, 0D4000000000000000, p;}" : "=d"(d) : "d"(a)); sum += d;
    asm("{.reg .pred p; testp.normal.f64 p, %1; selp.f64 %0, 2.5, %1, p;}" : "=d"(d) : "d"(a)); sum += d;
    asm("{.reg .b32 lo, hi; mov.b64 {lo, hi}, %1; xor.b32 hi, hi, 0x80000000; mov.b64 %0, {lo, hi};}" : "=d"(d) : "d"(a)); sum += d;
    out[i] = sum;
}

#ifndef __CUDACC_RTC__
int main()
{
    double *out = corpus::device_array<double>(64);
    intrinsics<<<1, 32>>>(out);
    operators<<<1, 32>>>(out, corpus::device_array<double2>(64), corpus::device_array<long long>(64));
    instructions<<<1, 32>>>(out);
    return corpus::finish("float64_arithmetic");
}
#endif
