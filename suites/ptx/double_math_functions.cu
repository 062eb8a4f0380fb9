// The double-precision mathematical functions, whose slow paths are calls and loops.
#include "support/launch.cuh"

__global__ void trigonometric(double *out)
{
    const double a = out[threadIdx.x];
    double s, c;
    sincos(a, &s, &c);
    out[threadIdx.x] = sin(a) + cos(a) + tan(a) + asin(a) + acos(a) + atan(a) + atan2(a, s) + sinh(a) + cosh(a) + tanh(a) + asinh(a)
        + acosh(a) + atanh(a) + sinpi(a) + cospi(a) + c;
}

__global__ void exponential(double *out)
{
    const double a = out[threadIdx.x], b = out[threadIdx.x + 1];
    int exponent;
    double whole;
    out[threadIdx.x] = exp(a) + exp2(a) + exp10(a) + expm1(a) + log(a) + log2(a) + log10(a) + log1p(a) + logb(a) + pow(a, b)
        + frexp(a, &exponent) + ldexp(b, exponent) + modf(a, &whole) + pow(a, 3) + whole;
}

__global__ void roots_and_rounding(double *out, long long *wide)
{
    const double a = out[threadIdx.x], b = out[threadIdx.x + 1];
    out[threadIdx.x] = cbrt(a) + rsqrt(a) + hypot(a, b) + rhypot(a, b) + fmod(a, b) + remainder(a, b) + floor(a) + ceil(a) + trunc(a)
        + round(a) + rint(a) + nextafter(a, b) + fdim(a, b);
    wide[threadIdx.x] = llround(a) + llrint(b);
}

__global__ void special(double *out)
{
    const double a = out[threadIdx.x];
    out[threadIdx.x] = erf(a) + erfc(a) + erfinv(a) + normcdf(a) + tgamma(a) + lgamma(a) + j0(a) + y1(a) + cyl_bessel_i0(a);
}

#ifndef __CUDACC_RTC__
int main()
{
    double *out = corpus::device_array<double>(64);
    trigonometric<<<1, 32>>>(out);
    exponential<<<1, 32>>>(out);
    roots_and_rounding<<<1, 32>>>(out, corpus::device_array<long long>(64));
    special<<<1, 32>>>(out);
    return corpus::finish("double_math_functions");
}
#endif
