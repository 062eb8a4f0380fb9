// half, half2, bfloat16 and bfloat162: arithmetic, fused steps, comparisons, conversions and rounding.
#include "support/check.cuh"

#include <algorithm>
#include <cuda_bf16.h>
#include <cuda_fp16.h>

__host__ __device__ inline unsigned short half_bits(__half h) { return __half_as_ushort(h); }

// Each sum, difference, product and quotient is rounded once to nearest even; the host does the same by way of double.
__global__ void half_arithmetic(int n, const __half *a, const __half *b, __half *out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        out[5 * i] = __hadd_rn(a[i], b[i]);
        out[5 * i + 1] = __hsub_rn(a[i], b[i]);
        out[5 * i + 2] = __hmul_rn(a[i], b[i]);
        out[5 * i + 3] = __hfma(a[i], b[i], a[i]);
        out[5 * i + 4] = __hneg(__habs(a[i]));
    }
}

__global__ void half2_polynomial(int n, const __half2 *x, __half2 *out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        __half2 result = __float2half2_rn(0.125f);
        result = __hfma2(result, x[i], __floats2half2_rn(0.5f, -0.25f));
        result = __hfma2(result, x[i], __half2half2(__float2half(1.5f)));
        result = __hmin2(__hmax2(result, __float2half2_rn(-3.0f)), __float2half2_rn(3.0f));
        out[i] = __lowhigh2highlow(result);
    }
}

__global__ void half_comparisons(int n, const __half *a, const __half *b, int *out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        out[i] = __hlt(a[i], b[i]) | __hle(a[i], b[i]) << 1 | __hgt(a[i], b[i]) << 2 | __hge(a[i], b[i]) << 3 |
                 __heq(a[i], b[i]) << 4 | __hne(a[i], b[i]) << 5 | __hisnan(a[i]) << 6 | (__hisinf(a[i]) != 0) << 7 |
                 __hltu(a[i], b[i]) << 8 | __hequ(a[i], b[i]) << 9;
    }
}

// Every pattern of 16 bits to float, to integers and back.
__global__ void half_conversions(float *wide, unsigned short *back, int *whole) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    __half h = __ushort_as_half(static_cast<unsigned short>(i));
    wide[i] = __half2float(h);
    back[i] = half_bits(__float2half_rn(__half2float(h) * 1.0009765625f));
    whole[i] = __hisnan(h) ? 0 : static_cast<int>(static_cast<unsigned>(__half2int_rz(h)) + static_cast<unsigned>(__half2int_rn(h)));
}

__global__ void float_to_half_roundings(int n, const float *in, unsigned short *out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        out[4 * i] = half_bits(__float2half_rn(in[i]));
        out[4 * i + 1] = half_bits(__float2half_rz(in[i]));
        out[4 * i + 2] = half_bits(__float2half_rd(in[i]));
        out[4 * i + 3] = half_bits(__float2half_ru(in[i]));
    }
}

__global__ void bfloat16_arithmetic(int n, const __nv_bfloat16 *a, const __nv_bfloat16 *b, __nv_bfloat16 *out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        out[4 * i] = __hadd_rn(a[i], b[i]);
        out[4 * i + 1] = __hmul_rn(a[i], b[i]);
        out[4 * i + 2] = __hfma(a[i], b[i], b[i]);
        out[4 * i + 3] = __hmax(a[i], b[i]);
    }
}

__global__ void bfloat162_dot(int n, const __nv_bfloat162 *a, const __nv_bfloat162 *b, float *out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        __nv_bfloat162 p = __hfma2(a[i], b[i], __float2bfloat162_rn(1.0f));
        out[2 * i] = __low2float(p);
        out[2 * i + 1] = __high2float(__hmul2(p, p));
    }
}

// A double rounded to a binary format of few bits, to nearest even; exact inputs make this the one rounding.
double rounded(double value, int mantissa_bits, int smallest_exponent, double largest) {
    if (value == 0 || std::isnan(value) || std::isinf(value)) {
        return value;
    }
    int exponent;
    std::frexp(value, &exponent);
    exponent = std::max(exponent - 1, smallest_exponent);
    double unit = std::ldexp(1.0, exponent - mantissa_bits);
    double result = std::nearbyint(value / unit) * unit;
    return std::fabs(result) > largest ? std::copysign(INFINITY, value) : result == 0 ? std::copysign(0.0, value) : result;
}

double to_half(double value) { return rounded(value, 10, -14, 65504.0); }
double to_bfloat(double value) { return rounded(value, 7, -126, 3.3895313892515355e38); }

// The bits of a value that is a half already.
unsigned short bits_of_half(double value) {
    unsigned short sign = std::signbit(value) ? 0x8000 : 0;
    double magnitude = std::fabs(value);
    if (std::isinf(value)) {
        return sign | 0x7C00;
    }
    if (magnitude < std::ldexp(1.0, -14)) {
        return sign | static_cast<unsigned short>(std::ldexp(magnitude, 24));
    }
    int exponent;
    double fraction = std::frexp(magnitude, &exponent);
    return sign | static_cast<unsigned short>(((exponent + 14) << 10) + (std::ldexp(fraction, 11) - 1024));
}

double value_of_half(unsigned short bits) {
    int exponent = bits >> 10 & 31, fraction = bits & 1023;
    double magnitude = exponent == 31  ? (fraction ? NAN : INFINITY)
                       : exponent == 0 ? std::ldexp(fraction, -24)
                                       : std::ldexp(1024 + fraction, exponent - 25);
    return bits & 0x8000 ? -magnitude : magnitude;
}

std::vector<unsigned short> to_bits(const std::vector<__half> &values) {
    std::vector<unsigned short> bits(values.size());
    std::memcpy(bits.data(), values.data(), bits.size() * 2);
    return bits;
}

int main() {
    const int n = 4000, blocks = (n + 127) / 128;
    // Patterns of finite halves, tiny and large ones among them.
    auto patterns_a = check::integers<unsigned short>(n, 291, 0, 0x7BFF), patterns_b = check::integers<unsigned short>(n, 292, 0, 0x7BFF);
    std::vector<double> va(n), vb(n);
    std::vector<__half> a(n), b(n);
    for (int i = 0; i < n; ++i) {
        patterns_a[i] ^= i % 2 ? 0x8000 : 0;
        patterns_b[i] = static_cast<unsigned short>(i % 3 == 0 ? patterns_a[i] ^ (i % 64) : patterns_b[i]);
        va[i] = value_of_half(patterns_a[i]);
        vb[i] = value_of_half(patterns_b[i]);
    }
    std::memcpy(static_cast<void *>(a.data()), patterns_a.data(), n * 2);
    std::memcpy(static_cast<void *>(b.data()), patterns_b.data(), n * 2);
    check::DeviceBuffer<__half> da(a), db(b);
    {
        check::DeviceBuffer<__half> dout(5 * n);
        half_arithmetic<<<blocks, 128>>>(n, da, db, dout);
        std::vector<unsigned short> out(5 * n);
        for (int i = 0; i < n; ++i) {
            out[5 * i] = bits_of_half(to_half(va[i] + vb[i]));
            out[5 * i + 1] = bits_of_half(to_half(va[i] - vb[i]));
            out[5 * i + 2] = bits_of_half(to_half(va[i] * vb[i]));
            // a * (b + 1) needs at most 46 bits, so the double is exact and rounded once.
            out[5 * i + 3] = bits_of_half(to_half(va[i] * vb[i] + va[i]));
            out[5 * i + 4] = bits_of_half(-std::fabs(va[i]));
        }
        check::exact("half_arithmetic", to_bits(dout.to_host()), out);
    }
    {
        auto x = check::reals<float>(2 * n, 293, -4, 4);
        std::vector<__half> hx(2 * n);
        std::vector<unsigned short> out(2 * n);
        for (int i = 0; i < 2 * n; ++i) {
            double v = to_half(x[i]);
            hx[i] = __float2half(static_cast<float>(v));
            double r = to_half(0.125 * v + (i % 2 ? -0.25 : 0.5));
            r = to_half(r * v + 1.5);
            out[i ^ 1] = bits_of_half(std::min(std::max(r, -3.0), 3.0));
        }
        check::DeviceBuffer<__half> dx(hx), dout(2 * n);
        half2_polynomial<<<blocks, 128>>>(n, reinterpret_cast<__half2 *>((__half *)dx),
                                          reinterpret_cast<__half2 *>((__half *)dout));
        check::exact("half2_polynomial", to_bits(dout.to_host()), out);
    }
    {
        std::vector<unsigned short> special_a = patterns_a, special_b = patterns_b;
        for (int i = 0; i < n; i += 5) {
            special_a[i] = static_cast<unsigned short>(i % 2 ? 0x7E00 : 0xFC00);
        }
        std::vector<__half> sa(n), sb(n);
        std::memcpy(static_cast<void *>(sa.data()), special_a.data(), n * 2);
        std::memcpy(static_cast<void *>(sb.data()), special_b.data(), n * 2);
        check::DeviceBuffer<__half> dsa(sa), dsb(sb);
        check::DeviceBuffer<int> dout(n);
        half_comparisons<<<blocks, 128>>>(n, dsa, dsb, dout);
        std::vector<int> out(n);
        for (int i = 0; i < n; ++i) {
            double x = value_of_half(special_a[i]), y = value_of_half(special_b[i]);
            bool unordered = std::isnan(x) || std::isnan(y);
            out[i] = (x < y) | (x <= y) << 1 | (x > y) << 2 | (x >= y) << 3 | (x == y) << 4 |
                     (!unordered && x != y) << 5 | std::isnan(x) << 6 | std::isinf(x) << 7 | (unordered || x < y) << 8 |
                     (unordered || x == y) << 9;
        }
        check::exact("half_comparisons", dout.to_host(), out);
    }
    {
        check::DeviceBuffer<float> dwide(65536);
        check::DeviceBuffer<unsigned short> dback(65536);
        check::DeviceBuffer<int> dwhole(65536);
        half_conversions<<<512, 128>>>(dwide, dback, dwhole);
        std::vector<float> wide(65536);
        std::vector<unsigned short> back(65536);
        std::vector<int> whole(65536);
        auto got_wide = dwide.to_host();
        auto got_back = dback.to_host();
        for (int i = 0; i < 65536; ++i) {
            double v = value_of_half(static_cast<unsigned short>(i));
            wide[i] = static_cast<float>(v);
            if (std::isnan(v)) {
                // Which NaN comes out is not compared.
                wide[i] = got_wide[i] = std::isnan(got_wide[i]) ? 0.0f : 1.0f;
                wide[i] = 0.0f;
                got_back[i] = (got_back[i] & 0x7FFF) > 0x7C00 ? 0 : 1;
                continue;
            }
            back[i] = bits_of_half(to_half(static_cast<float>(v) * 1.0009765625f));
            double limited = std::isinf(v) ? 0 : v;
            whole[i] = static_cast<int>(std::trunc(limited)) + static_cast<int>(std::nearbyint(limited));
            if (std::isinf(v)) {
                whole[i] = v > 0 ? -2 : 0;
            }
        }
        check::exact("half_conversions_to_float", got_wide, wide);
        check::exact("half_conversions_from_float", got_back, back);
        check::exact("half_conversions_to_int", dwhole.to_host(), whole);
    }
    {
        auto in = check::reals<float>(n, 294, -70000, 70000);
        for (int i = 0; i < n; i += 2) {
            in[i] = std::ldexp(in[i], -static_cast<int>(i % 40));
        }
        check::DeviceBuffer<float> din(in);
        check::DeviceBuffer<unsigned short> dout(4 * n);
        float_to_half_roundings<<<blocks, 128>>>(n, din, dout);
        std::vector<unsigned short> out(4 * n);
        for (int i = 0; i < n; ++i) {
            double nearest = to_half(in[i]), below = nearest, above = nearest;
            unsigned short bits = bits_of_half(nearest);
            // The neighbours of a half are the neighbours of its bits.
            auto step = [](double value, bool up) {
                unsigned short pattern = bits_of_half(value);
                if ((pattern & 0x7FFF) == 0) {
                    return value_of_half(up ? 0x0001 : 0x8001);
                }
                return value_of_half(static_cast<unsigned short>((pattern & 0x8000 ? !up : up) ? pattern + 1 : pattern - 1));
            };
            if (nearest > in[i]) {
                below = step(nearest, false);
            }
            if (nearest < in[i]) {
                above = step(nearest, true);
            }
            auto signed_bits = [&](double value) {
                unsigned short pattern = bits_of_half(value);
                return static_cast<unsigned short>(value == 0 ? (in[i] < 0 ? 0x8000 : 0) : pattern);
            };
            out[4 * i] = bits;
            out[4 * i + 1] = signed_bits(in[i] < 0 ? above : below);
            out[4 * i + 2] = signed_bits(below);
            out[4 * i + 3] = signed_bits(above);
        }
        check::exact("float_to_half_roundings", dout.to_host(), out);
    }
    {
        auto xa = check::reals<float>(n, 295, -100, 100), xb = check::reals<float>(n, 296, -100, 100);
        std::vector<__nv_bfloat16> ba(n), bb(n);
        std::vector<float> expected(4 * n), got(4 * n);
        for (int i = 0; i < n; ++i) {
            double x = to_bfloat(xa[i]), y = to_bfloat(xb[i]);
            ba[i] = __float2bfloat16(static_cast<float>(x));
            bb[i] = __float2bfloat16(static_cast<float>(y));
            expected[4 * i] = static_cast<float>(to_bfloat(x + y));
            expected[4 * i + 1] = static_cast<float>(to_bfloat(x * y));
            expected[4 * i + 2] = static_cast<float>(to_bfloat(x * y + y));
            expected[4 * i + 3] = static_cast<float>(std::max(x, y));
        }
        check::DeviceBuffer<__nv_bfloat16> dba(ba), dbb(bb), dout(4 * n);
        bfloat16_arithmetic<<<blocks, 128>>>(n, dba, dbb, dout);
        auto out = dout.to_host();
        for (int i = 0; i < 4 * n; ++i) {
            got[i] = __bfloat162float(out[i]);
        }
        check::exact("bfloat16_arithmetic", got, expected);
        check::DeviceBuffer<float> ddot(n);
        bfloat162_dot<<<(n / 2 + 127) / 128, 128>>>(n / 2, reinterpret_cast<__nv_bfloat162 *>((__nv_bfloat16 *)dba),
                                                    reinterpret_cast<__nv_bfloat162 *>((__nv_bfloat16 *)dbb), ddot);
        std::vector<float> dot(n);
        for (int i = 0; i < n; ++i) {
            double p = to_bfloat(to_bfloat(xa[i]) * to_bfloat(xb[i]) + 1.0);
            dot[i] = static_cast<float>(i % 2 ? to_bfloat(p * p) : p);
        }
        check::exact("bfloat162_dot", ddot.to_host(), dot);
    }
    return check::finish();
}
