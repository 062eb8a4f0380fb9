// Four-way and two-way dot products with accumulation: dp4a and dp2a in all sign combinations.
//@ architectures: 75 80 90 90a 100 120
#include "support/launch.cuh"

__global__ void intrinsics(int *out, const int *a, const unsigned *b)
{
    const int i = threadIdx.x;
    int sum = __dp4a(a[i], a[i + 1], out[i]);
    sum += static_cast<int>(__dp4a(b[i], b[i + 1], static_cast<unsigned>(out[i])));
    sum += __dp2a_lo(a[i], a[i + 1], sum);
    sum += __dp2a_hi(a[i], a[i + 1], sum);
    sum += static_cast<int>(__dp2a_lo(b[i], b[i + 1], 3u) + __dp2a_hi(b[i], b[i + 1], 4u));
    out[i] = sum;
}

__global__ void vector_types(int *out, const char4 *a, const uchar4 *b, const short2 *c, const ushort2 *d)
{
    const int i = threadIdx.x;
    out[i] = __dp4a(a[i], a[i + 1], out[i]) + static_cast<int>(__dp4a(b[i], b[i + 1], 9u));
    out[i] += __dp2a_lo(c[i], a[i], out[i]) + static_cast<int>(__dp2a_hi(d[i], b[i], 1u));
}

__global__ void by_assembly(int *out)
{
    const int i = threadIdx.x;
    int a = out[i], b = out[i + 1], c = out[i + 2], d, sum = 0;
#define DOT(op) asm(op " %0, %1, %2, %3;" : "=r"(d) : "r"(a), "r"(b), "r"(c)); sum += d;
    DOT("dp4a.s32.s32") DOT("dp4a.s32.u32") DOT("dp4a.u32.s32") DOT("dp4a.u32.u32")
    DOT("dp2a.lo.s32.s32") DOT("dp2a.lo.s32.u32") DOT("dp2a.hi.u32.s32") DOT("dp2a.hi.u32.u32")
    out[i] = sum;
}

#ifndef __CUDACC_RTC__
int main()
{
    int *out = corpus::device_array<int>(128);
    by_assembly<<<1, 32>>>(out);
    return corpus::finish("integer_dot_product", corpus::read_back(out) == 0);
}
#endif
