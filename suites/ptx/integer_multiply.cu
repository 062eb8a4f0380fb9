// Multiplication: 24-bit, high halves, wide products, multiply-add, averages and sums of differences.
#include "support/launch.cuh"

__global__ void intrinsics(int *out, const int *in, unsigned *uout)
{
    const int i = threadIdx.x;
    const int a = in[i];
    const int b = in[i + 32];
    const unsigned ua = static_cast<unsigned>(a);
    const unsigned ub = static_cast<unsigned>(b);
    out[i] = __mul24(a, b) + __mulhi(a, b) + __hadd(a, b) + __rhadd(a, b);
    uout[i] = __umul24(ua, ub) + __umulhi(ua, ub) + __uhadd(ua, ub) + __urhadd(ua, ub);
    uout[i] += __sad(a, b, ua) + __usad(ua, ub, ua);
}

__global__ void wide_products(long long *out, const int *in, unsigned long long *uout)
{
    const int i = threadIdx.x;
    out[i] = static_cast<long long>(in[i]) * in[i + 1] + out[i];
    uout[i] = static_cast<unsigned long long>(static_cast<unsigned>(in[i])) * static_cast<unsigned>(in[i + 1]) + uout[i];
    out[i] += __mul64hi(out[i], out[i + 1]);
    uout[i] += __umul64hi(uout[i], uout[i + 1]);
}

__global__ void narrow_products(int *out, const short *in, const unsigned short *uin)
{
    const int i = threadIdx.x;
    out[i] = in[i] * in[i + 1];
    out[i] += static_cast<int>(static_cast<unsigned>(uin[i]) * uin[i + 1]);
    out[i] += static_cast<short>(in[i] * uin[i]);
}

// Every form of mul, mad, mul24, mad24 and sad that PTX has.
__global__ void multiply_by_assembly(int *out, long long *wide, short *narrow)
{
    const int i = threadIdx.x;
    int a = out[i], b = out[i + 1], c = out[i + 2], d;
    long long wa = wide[i], wb = wide[i + 1], wc = wide[i + 2], wd;
    short na = narrow[i], nb = narrow[i + 1], nc = narrow[i + 2], nd;
    int sum = 0;
    long long wide_sum = 0;
#define THREE(op) asm(op " %0, %1, %2;" : "=r"(d) : "r"(a), "r"(b)); sum += d;
#define FOUR(op) asm(op " %0, %1, %2, %3;" : "=r"(d) : "r"(a), "r"(b), "r"(c)); sum += d;
    THREE("mul.lo.s32") THREE("mul.lo.u32") THREE("mul.hi.s32") THREE("mul.hi.u32")
    THREE("mul24.lo.s32") THREE("mul24.lo.u32") THREE("mul24.hi.s32") THREE("mul24.hi.u32")
    FOUR("mad.lo.s32") FOUR("mad.lo.u32") FOUR("mad.hi.s32") FOUR("mad.hi.u32") FOUR("mad.hi.sat.s32")
    FOUR("mad24.lo.s32") FOUR("mad24.lo.u32") FOUR("mad24.hi.s32") FOUR("mad24.hi.u32") FOUR("mad24.hi.sat.s32")
    FOUR("sad.s32") FOUR("sad.u32")
#undef THREE
#undef FOUR
#define THREE_WIDE(op) asm(op " %0, %1, %2;" : "=l"(wd) : "l"(wa), "l"(wb)); wide_sum += wd;
#define FOUR_WIDE(op) asm(op " %0, %1, %2, %3;" : "=l"(wd) : "l"(wa), "l"(wb), "l"(wc)); wide_sum += wd;
    THREE_WIDE("mul.lo.s64") THREE_WIDE("mul.lo.u64") THREE_WIDE("mul.hi.s64") THREE_WIDE("mul.hi.u64")
    FOUR_WIDE("mad.lo.s64") FOUR_WIDE("mad.hi.u64") FOUR_WIDE("sad.s64") FOUR_WIDE("sad.u64")
#undef THREE_WIDE
#undef FOUR_WIDE
    asm("mul.wide.s32 %0, %1, %2;" : "=l"(wd) : "r"(a), "r"(b)); wide_sum += wd;
    asm("mul.wide.u32 %0, %1, %2;" : "=l"(wd) : "r"(a), "r"(b)); wide_sum += wd;
    asm("mad.wide.s32 %0, %1, %2, %3;" : "=l"(wd) : "r"(a), "r"(b), "l"(wc)); wide_sum += wd;
    asm("mad.wide.u32 %0, %1, %2, %3;" : "=l"(wd) : "r"(a), "r"(b), "l"(wc)); wide_sum += wd;
    asm("mul.wide.s16 %0, %1, %2;" : "=r"(d) : "h"(na), "h"(nb)); sum += d;
    asm("mul.wide.u16 %0, %1, %2;" : "=r"(d) : "h"(na), "h"(nb)); sum += d;
    asm("mad.wide.s16 %0, %1, %2, %3;" : "=r"(d) : "h"(na), "h"(nb), "r"(c)); sum += d;
    asm("mul.lo.s16 %0, %1, %2;" : "=h"(nd) : "h"(na), "h"(nb)); sum += nd;
    asm("mul.hi.u16 %0, %1, %2;" : "=h"(nd) : "h"(na), "h"(nb)); sum += nd;
    asm("mad.lo.s16 %0, %1, %2, %3;" : "=h"(nd) : "h"(na), "h"(nb), "h"(nc)); sum += nd;
    asm("sad.u16 %0, %1, %2, %3;" : "=h"(nd) : "h"(na), "h"(nb), "h"(nc)); sum += nd;
    out[i] = sum;
    wide[i] = wide_sum;
}

#ifndef __CUDACC_RTC__
int main()
{
    int *in = corpus::device_array<int>(128);
    int *out = corpus::device_array<int>(128);
    unsigned *uout = corpus::device_array<unsigned>(128);
    intrinsics<<<1, 32>>>(out, in, uout);
    long long *wide = corpus::device_array<long long>(128);
    short *narrow = corpus::device_array<short>(128);
    multiply_by_assembly<<<1, 32>>>(out, wide, narrow);
    return corpus::finish("integer_multiply", corpus::read_back(out) == 0);
}
#endif
