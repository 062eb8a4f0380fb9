// Double-precision functions within their documented errors, exact functions, directed rounding and conversions.
#include "support/check.cuh"

constexpr int KINDS = 8;

__global__ void double_trigonometry(int n, const double *in, double *out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        double x = in[i], *o = out + KINDS * i;
        o[0] = sin(x);
        o[1] = cos(x);
        o[2] = tan(x * 0.125);
        o[3] = atan(x);
        o[4] = asin(x * 0.015625);
        o[5] = acos(x * 0.015625);
        o[6] = sinh(x * 0.125);
        o[7] = tanh(x * 0.125);
    }
}

__global__ void double_exponentials(int n, const double *in, double *out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        double x = in[i], positive = fabs(x) + 0.5, *o = out + KINDS * i;
        o[0] = exp(x);
        o[1] = exp10(x * 0.25);
        o[2] = log(positive);
        o[3] = log10(positive);
        o[4] = pow(positive, 3.75);
        o[5] = pow(-positive, 5.0);
        o[6] = cbrt(x);
        o[7] = rsqrt(positive);
    }
}

__global__ void double_special(int n, const double *in, double *out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        double x = in[i] * 0.0625, *o = out + KINDS * i;
        o[0] = erf(x);
        o[1] = erfc(x);
        o[2] = tgamma(fabs(x) + 0.5);
        o[3] = lgamma(fabs(x) + 2.5);
        o[4] = hypot(x, 3.25);
        o[5] = atan2(x, -1.75);
        o[6] = normcdf(x);
        o[7] = asinh(x);
    }
}

__global__ void double_exact_functions(int n, const double *in, const double *other, double *out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        double x = in[i], y = other[i], *o = out + KINDS * i, whole;
        o[0] = sqrt(fabs(x));
        o[1] = x / y;
        o[2] = fma(x, y, -y);
        o[3] = fmod(x, y);
        o[4] = remainder(x, y);
        o[5] = modf(x, &whole) + whole;
        o[6] = fmax(x, y) - fmin(x, y);
        o[7] = rint(x * 3.0) + floor(y) * ceil(x) + trunc(y);
    }
}

__global__ void double_directed_rounding(int n, const double *in, const double *other, double *out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        // Few bits on the way in, so that the host can name the neighbours of the exact result.
        double x = in[i], y = other[i], *o = out + KINDS * i;
        o[0] = __dadd_ru(x, y * 0x1p-40);
        o[1] = __dadd_rd(x, y * 0x1p-40);
        o[2] = __dadd_rz(x, y * 0x1p-40);
        o[3] = __dmul_rn(x, y);
        o[4] = __ddiv_rn(x, y);
        o[5] = __dsqrt_rn(fabs(x));
        o[6] = __drcp_rn(y);
        o[7] = __fma_rn(x, y, 1.0);
    }
}

__global__ void double_conversions(int n, const double *in, long long *out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        double x = in[i] * 1.0e6;
        out[6 * i] = __double2ll_rn(x);
        out[6 * i + 1] = __double2ll_rd(x * 1.0e14);
        out[6 * i + 2] = static_cast<long long>(x);
        out[6 * i + 3] = __double_as_longlong(static_cast<double>(out[6 * i] * 4503599627ll));
        out[6 * i + 4] = __float_as_int(__double2float_rz(in[i]));
        out[6 * i + 5] = __double2hiint(x) ^ __double2loint(x);
    }
}

int main() {
    const int n = 2000, blocks = (n + 127) / 128;
    auto in = check::reals<double>(n, 391, -60, 60), other = check::reals<double>(n, 392, -7, 7);
    for (double &y : other) {
        y = y == 0 ? 1.0 : y;
    }
    check::DeviceBuffer<double> din(in), dother(other), dout(KINDS * n);
    std::vector<double> out(KINDS * n);
    {
        double_trigonometry<<<blocks, 128>>>(n, din, dout);
        for (int i = 0; i < n; ++i) {
            double x = in[i], *o = &out[KINDS * i];
            o[0] = std::sin(x);
            o[1] = std::cos(x);
            o[2] = std::tan(x * 0.125);
            o[3] = std::atan(x);
            o[4] = std::asin(x * 0.015625);
            o[5] = std::acos(x * 0.015625);
            o[6] = std::sinh(x * 0.125);
            o[7] = std::tanh(x * 0.125);
        }
        check::approximate("double_trigonometry", dout.to_host(), out, 2e-15, 1e-15);
    }
    {
        double_exponentials<<<blocks, 128>>>(n, din, dout);
        for (int i = 0; i < n; ++i) {
            double x = in[i], positive = std::fabs(x) + 0.5, *o = &out[KINDS * i];
            o[0] = std::exp(x);
            o[1] = std::pow(10.0, x * 0.25);
            o[2] = std::log(positive);
            o[3] = std::log10(positive);
            o[4] = std::pow(positive, 3.75);
            o[5] = std::pow(-positive, 5.0);
            o[6] = std::cbrt(x);
            o[7] = 1 / std::sqrt(positive);
        }
        check::approximate("double_exponentials", dout.to_host(), out, 2e-15, 1e-16);
    }
    {
        double_special<<<blocks, 128>>>(n, din, dout);
        for (int i = 0; i < n; ++i) {
            double x = in[i] * 0.0625, *o = &out[KINDS * i];
            o[0] = std::erf(x);
            o[1] = std::erfc(x);
            o[2] = std::tgamma(std::fabs(x) + 0.5);
            o[3] = std::lgamma(std::fabs(x) + 2.5);
            o[4] = std::hypot(x, 3.25);
            o[5] = std::atan2(x, -1.75);
            o[6] = 0.5 * std::erfc(-x * 0.70710678118654752);
            o[7] = std::asinh(x);
        }
        check::approximate("double_special", dout.to_host(), out, 1e-14, 1e-15);
    }
    {
        double_exact_functions<<<blocks, 128>>>(n, din, dother, dout);
        for (int i = 0; i < n; ++i) {
            double x = in[i], y = other[i], *o = &out[KINDS * i];
            o[0] = std::sqrt(std::fabs(x));
            o[1] = x / y;
            o[2] = std::fma(x, y, -y);
            o[3] = std::fmod(x, y);
            o[4] = std::remainder(x, y);
            o[5] = x;
            o[6] = std::fmax(x, y) - std::fmin(x, y);
            o[7] = std::rint(x * 3.0) + std::floor(y) * std::ceil(x) + std::trunc(y);
        }
        check::exact("double_exact_functions", dout.to_host(), out);
    }
    {
        double_directed_rounding<<<blocks, 128>>>(n, din, dother, dout);
        for (int i = 0; i < n; ++i) {
            double x = in[i], y = other[i], *o = &out[KINDS * i];
            double small = y * 0x1p-40, nearest = x + small;
            // The error of a sum is a double itself (Knuth), and its sign tells on which side the sum lies.
            double part = nearest - x, error = (x - (nearest - part)) + (small - part);
            o[0] = error > 0 ? std::nextafter(nearest, INFINITY) : nearest;
            o[1] = error < 0 ? std::nextafter(nearest, -INFINITY) : nearest;
            o[2] = nearest > 0 ? o[1] : o[0];
            o[3] = x * y;
            o[4] = x / y;
            o[5] = std::sqrt(std::fabs(x));
            o[6] = 1 / y;
            o[7] = std::fma(x, y, 1.0);
        }
        check::exact("double_directed_rounding", dout.to_host(), out);
    }
    {
        check::DeviceBuffer<long long> dconverted(6 * n);
        double_conversions<<<blocks, 128>>>(n, din, dconverted);
        std::vector<long long> converted(6 * n);
        for (int i = 0; i < n; ++i) {
            double x = in[i] * 1.0e6, large = std::floor(x * 1.0e14);
            converted[6 * i] = static_cast<long long>(std::nearbyint(x));
            converted[6 * i + 1] = large >= 9223372036854775808.0    ? 0x7FFFFFFFFFFFFFFFll
                                   : large <= -9223372036854775808.0 ? -0x7FFFFFFFFFFFFFFFll - 1
                                                                     : static_cast<long long>(large);
            converted[6 * i + 2] = static_cast<long long>(x);
            double wide = static_cast<double>(converted[6 * i] * 4503599627ll);
            std::memcpy(&converted[6 * i + 3], &wide, 8);
            float single = static_cast<float>(in[i]);
            if (std::fabs(static_cast<double>(single)) > std::fabs(in[i])) {
                single = std::nextafter(single, 0.0f);
            }
            int bits;
            std::memcpy(&bits, &single, 4);
            converted[6 * i + 4] = bits;
            unsigned long long pattern;
            std::memcpy(&pattern, &x, 8);
            converted[6 * i + 5] = static_cast<int>(static_cast<unsigned>(pattern >> 32) ^ static_cast<unsigned>(pattern));
        }
        check::exact("double_conversions", dconverted.to_host(), converted);
    }
    return check::finish();
}
