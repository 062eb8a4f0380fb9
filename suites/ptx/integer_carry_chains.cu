// Extended-precision integers: add.cc, addc, sub.cc, subc, mad.cc and madc at both widths.
#include "support/launch.cuh"

__global__ void add_128(unsigned *out, const unsigned *a, const unsigned *b)
{
    asm("add.cc.u32  %0, %4, %8;\n\t"
        "addc.cc.u32 %1, %5, %9;\n\t"
        "addc.cc.u32 %2, %6, %10;\n\t"
        "addc.u32    %3, %7, %11;"
        : "=r"(out[0]), "=r"(out[1]), "=r"(out[2]), "=r"(out[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]), "r"(b[2]), "r"(b[3]));
}

__global__ void subtract_256(unsigned long long *out, const unsigned long long *a, const unsigned long long *b)
{
    asm("sub.cc.u64  %0, %4, %8;\n\t"
        "subc.cc.u64 %1, %5, %9;\n\t"
        "subc.cc.u64 %2, %6, %10;\n\t"
        "subc.u64    %3, %7, %11;"
        : "=l"(out[0]), "=l"(out[1]), "=l"(out[2]), "=l"(out[3])
        : "l"(a[0]), "l"(a[1]), "l"(a[2]), "l"(a[3]), "l"(b[0]), "l"(b[1]), "l"(b[2]), "l"(b[3]));
}

__global__ void multiply_64_to_128(unsigned *out, const unsigned *a, const unsigned *b)
{
    asm("{\n\t"
        "mul.lo.u32      %0, %4, %6;\n\t"
        "mul.hi.u32      %1, %4, %6;\n\t"
        "mad.lo.cc.u32   %1, %4, %7, %1;\n\t"
        "madc.hi.u32     %2, %4, %7, 0;\n\t"
        "mad.lo.cc.u32   %1, %5, %6, %1;\n\t"
        "madc.hi.cc.u32  %2, %5, %6, %2;\n\t"
        "madc.hi.u32     %3, %5, %7, 0;\n\t"
        "mad.lo.cc.u32   %2, %5, %7, %2;\n\t"
        "addc.u32        %3, %3, 0;\n\t"
        "}"
        : "=&r"(out[0]), "=&r"(out[1]), "=&r"(out[2]), "=&r"(out[3])
        : "r"(a[0]), "r"(a[1]), "r"(b[0]), "r"(b[1]));
}

__global__ void signed_chains(int *out, long long *wide)
{
    int low = out[0], high = out[1];
    asm volatile("add.cc.s32 %0, %0, %2; addc.s32 %1, %1, %3;" : "+r"(low), "+r"(high) : "r"(out[2]), "r"(out[3]));
    asm volatile("sub.cc.s32 %0, %0, %2; subc.s32 %1, %1, %3;" : "+r"(low), "+r"(high) : "r"(out[4]), "r"(out[5]));
    asm volatile("mad.lo.cc.s32 %0, %2, %3, %0; madc.hi.s32 %1, %2, %3, %1;" : "+r"(low), "+r"(high) : "r"(out[6]), "r"(out[7]));
    out[0] = low;
    out[1] = high;
    long long wide_low = wide[0], wide_high = wide[1];
    asm volatile("add.cc.s64 %0, %0, %2; addc.s64 %1, %1, %3;" : "+l"(wide_low), "+l"(wide_high) : "l"(wide[2]), "l"(wide[3]));
    asm volatile("mad.lo.cc.u64 %0, %2, %3, %0; madc.hi.cc.u64 %1, %2, %3, %1;" : "+l"(wide_low), "+l"(wide_high) : "l"(wide[4]), "l"(wide[5]));
    asm volatile("madc.lo.s64 %0, %1, %2, %0;" : "+l"(wide_low) : "l"(wide[6]), "l"(wide[7]));
    wide[0] = wide_low;
    wide[1] = wide_high;
}

#ifndef __CUDACC_RTC__
int main()
{
    unsigned *out = corpus::device_array<unsigned>(8);
    unsigned *ones = corpus::device_array<unsigned>(8);
    cudaMemset(ones, 0xff, 8 * sizeof(unsigned));
    add_128<<<1, 1>>>(out, ones, ones);
    return corpus::finish("integer_carry_chains", corpus::read_back(out) == 0xfffffffeu);
}
#endif
