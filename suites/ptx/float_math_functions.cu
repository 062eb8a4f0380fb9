// The single-precision mathematical functions, exact and approximate ones.
#include "support/launch.cuh"

__global__ void trigonometric(float *out)
{
    const float a = out[threadIdx.x];
    float s, c;
    sincosf(a, &s, &c);
    out[threadIdx.x] = sinf(a) + cosf(a) + tanf(a) + asinf(a) + acosf(a) + atanf(a) + atan2f(a, s) + sinhf(a) + coshf(a) + tanhf(a)
        + asinhf(a) + acoshf(a) + atanhf(a) + sinpif(a) + cospif(a) + s * c;
    sincospif(a, &s, &c);
    out[threadIdx.x] += s - c;
}

__global__ void exponential(float *out)
{
    const float a = out[threadIdx.x], b = out[threadIdx.x + 1];
    int exponent;
    float whole;
    out[threadIdx.x] = expf(a) + exp2f(a) + exp10f(a) + expm1f(a) + logf(a) + log2f(a) + log10f(a) + log1pf(a) + logbf(a)
        + powf(a, b) + frexpf(a, &exponent) + ldexpf(a, 3) + scalbnf(b, exponent) + modff(a, &whole) + static_cast<float>(ilogbf(a)) + whole;
}

__global__ void roots_and_remainders(float *out)
{
    const float a = out[threadIdx.x], b = out[threadIdx.x + 1], c = out[threadIdx.x + 2];
    int quotient;
    out[threadIdx.x] = sqrtf(a) + rsqrtf(a) + cbrtf(a) + rcbrtf(b) + hypotf(a, b) + rhypotf(a, b) + norm3df(a, b, c) + rnorm4df(a, b, c, a)
        + fmodf(a, b) + remainderf(a, b) + remquof(a, b, &quotient) + fdimf(a, b) + nextafterf(a, b) + static_cast<float>(quotient);
}

__global__ void rounding(float *out, int *whole, long long *wide)
{
    const float a = out[threadIdx.x];
    out[threadIdx.x] = floorf(a) + ceilf(a) + truncf(a) + roundf(a) + rintf(a) + nearbyintf(a);
    whole[threadIdx.x] = static_cast<int>(lroundf(a) + lrintf(a));
    wide[threadIdx.x] = llroundf(a) + llrintf(a);
}

__global__ void special(float *out)
{
    const float a = out[threadIdx.x], b = out[threadIdx.x + 1];
    out[threadIdx.x] = erff(a) + erfcf(a) + erfinvf(a) + erfcinvf(a) + erfcxf(a) + normcdff(a) + normcdfinvf(a) + tgammaf(a) + lgammaf(a)
        + j0f(a) + j1f(a) + jnf(2, a) + y0f(b) + y1f(b) + ynf(3, b) + cyl_bessel_i0f(a) + cyl_bessel_i1f(a);
}

__global__ void approximations(float *out)
{
    const float a = out[threadIdx.x], b = out[threadIdx.x + 1];
    float s, c;
    __sincosf(a, &s, &c);
    out[threadIdx.x] = __sinf(a) + __cosf(a) + __tanf(a) + __expf(a) + __exp10f(a) + __logf(a) + __log2f(a) + __log10f(a) + __powf(a, b)
        + __fdividef(s, c);
}

#ifndef __CUDACC_RTC__
int main()
{
    float *out = corpus::device_array<float>(64);
    trigonometric<<<1, 32>>>(out);
    exponential<<<1, 32>>>(out);
    roots_and_remainders<<<1, 32>>>(out);
    rounding<<<1, 32>>>(out, corpus::device_array<int>(64), corpus::device_array<long long>(64));
    approximations<<<1, 32>>>(out);
    return corpus::finish("float_math_functions");
}
#endif
