// 128-bit integers: arithmetic, comparison, shifts, division, conversions, and .b128 registers.
#include "support/launch.cuh"

using wide_signed = __int128;
using wide_unsigned = unsigned __int128;

__global__ void arithmetic(wide_signed *out, const wide_signed *in)
{
    const int i = threadIdx.x;
    const wide_signed a = in[i], b = in[i + 1];
    out[i] = a * b + (a - b) * 3 + (a & ~b) - (a | b) + (a < b ? a : -b);
    if (b != 0) {
        out[i] += a / b + a % b;
    }
}

__global__ void unsigned_arithmetic(wide_unsigned *out, int shift)
{
    const int i = threadIdx.x;
    const wide_unsigned a = out[i], b = out[i + 1];
    wide_unsigned result = (a << shift) + (a >> (shift + 70)) + (a ^ b);
    if (b > 9) {
        result += a / b - a % b;
    }
    out[i] = result + (a >= b);
}

__global__ void conversions(wide_signed *out, double *real, unsigned long long *halves)
{
    const int i = threadIdx.x;
    out[i] = static_cast<wide_signed>(real[i]) + static_cast<wide_signed>(halves[i]);
    real[i] = static_cast<double>(out[i]);
    halves[i] = static_cast<unsigned long long>(out[i] >> 64);
    out[i] += static_cast<wide_signed>(static_cast<wide_unsigned>(halves[i]) * halves[i + 1]);
}

__device__ __noinline__ wide_signed passed_and_returned(wide_signed value, wide_unsigned other)
{
    return value + static_cast<wide_signed>(other) * 5;
}

__global__ void calls(wide_signed *out)
{
    out[0] = passed_and_returned(out[1], static_cast<wide_unsigned>(out[2]));
}

__global__ void registers_of_128_bits(unsigned long long *out)
{
#if __CUDA_ARCH__ >= 700
    asm volatile("{\n\t"
                 ".reg .b128 wide;\n\t"
                 "mov.b128 wide, {%2, %3};\n\t"
                 "mov.b128 {%0, %1}, wide;\n\t"
                 "}"
                 : "=l"(out[0]), "=l"(out[1])
                 : "l"(out[2]), "l"(out[3]));
#endif
}

#ifndef __CUDACC_RTC__
int main()
{
    wide_signed *in = corpus::device_array<wide_signed>(64);
    wide_signed *out = corpus::device_array<wide_signed>(64);
    arithmetic<<<1, 32>>>(out, in);
    conversions<<<1, 32>>>(out, corpus::device_array<double>(64), corpus::device_array<unsigned long long>(64));
    return corpus::finish("integer_128bit", corpus::read_back(out) == 0);
}
#endif
