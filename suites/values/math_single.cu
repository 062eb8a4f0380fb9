// Single-precision functions within their documented errors, fast intrinsics, and functions that are exact in every bit.
#include "support/check.cuh"

constexpr int KINDS = 8;

__global__ void single_trigonometry(int n, const float *in, float *out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        float x = in[i], *o = out + KINDS * i;
        o[0] = sinf(x);
        o[1] = cosf(x);
        o[2] = tanf(x * 0.1f);
        o[3] = atanf(x);
        o[4] = atan2f(x, 3.5f);
        o[5] = asinf(x * 0.015625f);
        o[6] = acosf(x * 0.015625f);
        o[7] = sinpif(x * 0.25f);
    }
}

__global__ void single_exponentials(int n, const float *in, float *out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        float x = in[i], *o = out + KINDS * i;
        o[0] = expf(x);
        o[1] = exp2f(x);
        o[2] = expm1f(x * 0.125f);
        o[3] = logf(fabsf(x) + 0.01f);
        o[4] = log2f(fabsf(x) + 0.01f);
        o[5] = log1pf(fabsf(x));
        o[6] = powf(fabsf(x) + 0.5f, 2.7f);
        o[7] = tanhf(x * 0.25f);
    }
}

__global__ void single_special(int n, const float *in, float *out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        float x = in[i] * 0.0625f, *o = out + KINDS * i;
        o[0] = erff(x);
        o[1] = erfcf(x);
        o[2] = tgammaf(fabsf(x) + 0.5f);
        o[3] = lgammaf(fabsf(x) + 2.5f);
        o[4] = cbrtf(x);
        o[5] = hypotf(x, 1.25f);
        o[6] = sinhf(x);
        o[7] = j0f(x);
    }
}

__global__ void single_fast_intrinsics(int n, const float *in, float *out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        float x = in[i] * 0.046875f, positive = fabsf(x) + 0.25f, *o = out + KINDS * i;
        o[0] = __sinf(x);
        o[1] = __cosf(x);
        o[2] = __expf(x);
        o[3] = __logf(positive);
        o[4] = __powf(positive, 1.5f);
        o[5] = __fdividef(x, positive);
        o[6] = rsqrtf(positive);
        o[7] = __exp10f(x);
    }
}

__global__ void single_exact_functions(int n, const float *in, const float *other, float *out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        float x = in[i], y = other[i], *o = out + 2 * KINDS * i;
        int exponent;
        o[0] = floorf(x);
        o[1] = ceilf(x);
        o[2] = rintf(x);
        o[3] = roundf(x);
        o[4] = truncf(x);
        o[5] = fmodf(x, y);
        o[6] = remainderf(x, y);
        o[7] = copysignf(x, y);
        o[8] = fdimf(x, y);
        o[9] = ldexpf(x, 5);
        o[10] = frexpf(x, &exponent);
        o[10] += static_cast<float>(exponent);
        o[11] = sqrtf(fabsf(x));
        o[12] = x / y;
        o[13] = nextafterf(x, y);
        o[14] = fmaf(x, y, -x);
        o[15] = logbf(x) + static_cast<float>(ilogbf(y));
    }
}

__global__ void single_directed_rounding(int n, const float *in, const float *other, float *out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        float x = in[i], y = other[i], *o = out + KINDS * i;
        o[0] = __fadd_rz(x, y);
        o[1] = __fadd_ru(x, y);
        o[2] = __fmul_rd(x, y);
        o[3] = __fmul_ru(x, y);
        o[4] = __fdiv_rz(x, y);
        o[5] = __fsqrt_ru(fabsf(x));
        o[6] = __frcp_rd(y);
        o[7] = __fmaf_rz(x, y, x);
    }
}

__global__ void single_conversions(int n, const float *in, int *out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        float x = in[i] * 1.0e8f;
        out[6 * i] = __float2int_rn(x);
        out[6 * i + 1] = __float2int_rd(x);
        out[6 * i + 2] = static_cast<int>(__float2uint_ru(x));
        out[6 * i + 3] = __float2int_rz(x);
        out[6 * i + 4] = __float_as_int(__int2float_rz(i * 70001 + 5));
        out[6 * i + 5] = static_cast<int>(__float2ll_rn(x) >> 4);
    }
}

// The float next to an exact value in the given direction.
float directed(long double exact, int direction) {
    float nearest = static_cast<float>(exact);
    if (direction == 0) {
        direction = exact > 0 ? -1 : 1;
    }
    if (direction > 0 && nearest < exact) {
        return std::nextafter(nearest, INFINITY);
    }
    if (direction < 0 && nearest > exact) {
        return std::nextafter(nearest, -INFINITY);
    }
    return nearest;
}

int main() {
    const int n = 2000, blocks = (n + 127) / 128;
    auto in = check::reals<float>(n, 381, -60, 60), other = check::reals<float>(n, 382, -7, 7);
    for (float &y : other) {
        y = y == 0 ? 1.0f : y;
    }
    check::DeviceBuffer<float> din(in), dother(other), dout(KINDS * n);
    std::vector<double> out(KINDS * n);
    {
        single_trigonometry<<<blocks, 128>>>(n, din, dout);
        for (int i = 0; i < n; ++i) {
            double x = in[i], small = in[i] * 0.015625f, *o = &out[KINDS * i];
            o[0] = std::sin(x);
            o[1] = std::cos(x);
            o[2] = std::tan(static_cast<double>(in[i] * 0.1f));
            o[3] = std::atan(x);
            o[4] = std::atan2(x, 3.5);
            o[5] = std::asin(small);
            o[6] = std::acos(small);
            o[7] = std::sin(M_PI * (x * 0.25));
        }
        check::approximate("single_trigonometry", dout.to_host(), out, 6e-7, 3e-7);
    }
    {
        single_exponentials<<<blocks, 128>>>(n, din, dout);
        for (int i = 0; i < n; ++i) {
            double x = in[i], shifted = std::fabs(in[i]) + 0.01f, *o = &out[KINDS * i];
            o[0] = std::exp(x);
            o[1] = std::exp2(x);
            o[2] = std::expm1(x * 0.125);
            o[3] = std::log(static_cast<double>(std::fabs(in[i]) + 0.01f));
            o[4] = std::log2(shifted);
            o[5] = std::log1p(std::fabs(x));
            o[6] = std::pow(static_cast<double>(std::fabs(in[i]) + 0.5f), static_cast<double>(2.7f));
            o[7] = std::tanh(x * 0.25);
        }
        check::approximate("single_exponentials", dout.to_host(), out, 8e-7, 2e-7);
    }
    {
        single_special<<<blocks, 128>>>(n, din, dout);
        for (int i = 0; i < n; ++i) {
            double x = in[i] * 0.0625f, *o = &out[KINDS * i];
            float magnitude = std::fabs(in[i] * 0.0625f);
            o[0] = std::erf(x);
            o[1] = std::erfc(x);
            o[2] = std::tgamma(static_cast<double>(magnitude + 0.5f));
            o[3] = std::lgamma(static_cast<double>(magnitude + 2.5f));
            o[4] = std::cbrt(x);
            o[5] = std::hypot(x, 1.25);
            o[6] = std::sinh(x);
            o[7] = ::j0(x);
        }
        check::approximate("single_special", dout.to_host(), out, 1.5e-6, 1e-6);
    }
    {
        single_fast_intrinsics<<<blocks, 128>>>(n, din, dout);
        for (int i = 0; i < n; ++i) {
            float single = in[i] * 0.046875f;
            double x = single, positive = std::fabs(single) + 0.25f, *o = &out[KINDS * i];
            o[0] = std::sin(x);
            o[1] = std::cos(x);
            o[2] = std::exp(x);
            o[3] = std::log(positive);
            o[4] = std::pow(positive, 1.5);
            o[5] = x / positive;
            o[6] = 1 / std::sqrt(positive);
            o[7] = std::pow(10.0, x);
        }
        check::approximate("single_fast_intrinsics", dout.to_host(), out, 3e-6, 1e-6);
    }
    {
        check::DeviceBuffer<float> dexact(2 * KINDS * n);
        single_exact_functions<<<blocks, 128>>>(n, din, dother, dexact);
        std::vector<float> exact(2 * KINDS * n);
        for (int i = 0; i < n; ++i) {
            float x = in[i], y = other[i], *o = &exact[2 * KINDS * i];
            int exponent;
            o[0] = std::floor(x);
            o[1] = std::ceil(x);
            o[2] = std::rint(x);
            o[3] = std::round(x);
            o[4] = std::trunc(x);
            o[5] = std::fmod(x, y);
            o[6] = std::remainder(x, y);
            o[7] = std::copysign(x, y);
            o[8] = std::fdim(x, y);
            o[9] = std::ldexp(x, 5);
            o[10] = std::frexp(x, &exponent);
            o[10] += static_cast<float>(exponent);
            o[11] = std::sqrt(std::fabs(x));
            o[12] = x / y;
            o[13] = std::nextafter(x, y);
            o[14] = std::fma(x, y, -x);
            o[15] = std::logb(x) + static_cast<float>(std::ilogb(y));
        }
        check::exact("single_exact_functions", dexact.to_host(), exact);
    }
    {
        // Values of moderate size: sums and products are exact in 64 bits of significand.
        check::DeviceBuffer<float> drounded(KINDS * n);
        single_directed_rounding<<<blocks, 128>>>(n, din, dother, drounded);
        std::vector<float> rounded(KINDS * n);
        for (int i = 0; i < n; ++i) {
            float fx = in[i], fy = other[i], *o = &rounded[KINDS * i];
            long double x = fx, y = fy;
            o[0] = directed(x + y, 0);
            o[1] = directed(x + y, 1);
            o[2] = directed(x * y, -1);
            o[3] = directed(x * y, 1);
            o[4] = directed(x / y, 0);
            o[5] = directed(std::sqrt(std::fabs(x)), 1);
            o[6] = directed(1.0L / y, -1);
            o[7] = directed(x * y + x, 0);
        }
        check::exact("single_directed_rounding", drounded.to_host(), rounded);
    }
    {
        auto wide = check::reals<float>(n, 383, -30, 60);
        check::DeviceBuffer<float> dwide(wide);
        check::DeviceBuffer<int> dconverted(6 * n);
        single_conversions<<<blocks, 128>>>(n, dwide, dconverted);
        std::vector<int> converted(6 * n);
        auto limited = [](double v, double low, double high) { return v < low ? low : v > high ? high : v; };
        for (int i = 0; i < n; ++i) {
            double x = wide[i] * 1.0e8f;
            converted[6 * i] = static_cast<int>(limited(std::nearbyint(x), -2147483648.0, 2147483647.0));
            converted[6 * i + 1] = static_cast<int>(limited(std::floor(x), -2147483648.0, 2147483647.0));
            converted[6 * i + 2] = static_cast<int>(static_cast<unsigned>(limited(std::ceil(x), 0.0, 4294967295.0)));
            converted[6 * i + 3] = static_cast<int>(limited(std::trunc(x), -2147483648.0, 2147483647.0));
            float rounded = directed(static_cast<long double>(i * 70001 + 5), 0);
            std::memcpy(&converted[6 * i + 4], &rounded, 4);
            converted[6 * i + 5] = static_cast<int>(static_cast<long long>(std::nearbyint(x)) >> 4);
        }
        check::exact("single_conversions", dconverted.to_host(), converted);
    }
    return check::finish();
}
