// Eight-bit floats: e4m3 and e5m2 to and from half and float, all patterns, saturation, pairs; tf32 rounding.
#include "support/check.cuh"

#include <algorithm>
#include <cuda_fp16.h>
#include <cuda_fp8.h>

// Every pattern to half; NaN is reported as one value.
__global__ void fp8_patterns_to_half(unsigned short *e4m3, unsigned short *e5m2) {
    int i = threadIdx.x;
    __half a = __half(__nv_cvt_fp8_to_halfraw(static_cast<__nv_fp8_storage_t>(i), __NV_E4M3));
    __half b = __half(__nv_cvt_fp8_to_halfraw(static_cast<__nv_fp8_storage_t>(i), __NV_E5M2));
    e4m3[i] = __hisnan(a) ? 0x7FFF : __half_as_ushort(a);
    e5m2[i] = __hisnan(b) ? 0x7FFF : __half_as_ushort(b);
}

__global__ void float_to_fp8(int n, const float *in, unsigned char *e4m3, unsigned char *e5m2) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        e4m3[i] = __nv_cvt_float_to_fp8(in[i], __NV_SATFINITE, __NV_E4M3);
        e5m2[i] = __nv_cvt_float_to_fp8(in[i], __NV_SATFINITE, __NV_E5M2);
    }
}

__global__ void fp8_pairs(int n, const float2 *in, unsigned short *packed, float2 *out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        __nv_fp8x2_e4m3 pair(in[i]);
        packed[i] = pair.__x;
        float2 wide = static_cast<float2>(pair);
        out[i] = make_float2(wide.x * 2.0f, wide.y - 1.0f);
    }
}

__global__ void fp8_classes(int n, const float *in, float *out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        __nv_fp8_e4m3 a(in[i]);
        __nv_fp8_e5m2 b(in[i]);
        out[i] = static_cast<float>(a) + static_cast<float>(b);
    }
}

__global__ void float_to_tf32(int n, const float *in, unsigned *out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        unsigned rounded;
        asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(rounded) : "f"(in[i]));
        out[i] = rounded & 0xFFFFE000u;
    }
}

double value_of_e4m3(int bits) {
    int exponent = bits >> 3 & 15, fraction = bits & 7;
    double magnitude = exponent == 15 && fraction == 7 ? NAN
                       : exponent == 0                 ? std::ldexp(fraction, -9)
                                                       : std::ldexp(8 + fraction, exponent - 10);
    return bits & 128 ? -magnitude : magnitude;
}

double value_of_e5m2(int bits) {
    int exponent = bits >> 2 & 31, fraction = bits & 3;
    double magnitude = exponent == 31  ? (fraction ? NAN : INFINITY)
                       : exponent == 0 ? std::ldexp(fraction, -16)
                                       : std::ldexp(4 + fraction, exponent - 17);
    return bits & 128 ? -magnitude : magnitude;
}

// The nearest pattern by trying all finite ones; ties go to the even pattern, what is too large to the largest.
template <typename Value> unsigned char nearest(float x, Value value_of) {
    int best = 0;
    double distance = INFINITY;
    for (int bits = 0; bits < 128; ++bits) {
        double v = value_of(bits);
        if (std::isnan(v) || std::isinf(v)) {
            continue;
        }
        double d = std::fabs(std::fabs(static_cast<double>(x)) - v);
        if (d < distance || (d == distance && bits % 2 == 0)) {
            distance = d;
            best = bits;
        }
    }
    return static_cast<unsigned char>(best | (std::signbit(x) ? 128 : 0));
}

unsigned short bits_of_half(double value) {
    __half h = __float2half(static_cast<float>(value));
    unsigned short bits;
    std::memcpy(&bits, &h, 2);
    return std::isnan(value) ? 0x7FFF : bits;
}

int main() {
    {
        check::DeviceBuffer<unsigned short> de4m3(256), de5m2(256);
        fp8_patterns_to_half<<<1, 256>>>(de4m3, de5m2);
        std::vector<unsigned short> e4m3(256), e5m2(256);
        for (int i = 0; i < 256; ++i) {
            e4m3[i] = bits_of_half(value_of_e4m3(i));
            e5m2[i] = bits_of_half(value_of_e5m2(i));
        }
        check::exact("fp8_patterns_to_half_e4m3", de4m3.to_host(), e4m3);
        check::exact("fp8_patterns_to_half_e5m2", de5m2.to_host(), e5m2);
    }
    const int n = 4000, blocks = (n + 127) / 128;
    auto in = check::reals<float>(n, 301, -1, 1);
    for (int i = 0; i < n; ++i) {
        // Many sizes, from far below the smallest to above the largest; some exactly between two patterns.
        in[i] = std::ldexp(in[i], i % 40 - 20);
        if (i % 9 == 0) {
            in[i] = static_cast<float>((value_of_e4m3(i % 126) + value_of_e4m3(i % 126 + 1)) / 2);
        }
    }
    check::DeviceBuffer<float> din(in);
    {
        check::DeviceBuffer<unsigned char> de4m3(n), de5m2(n);
        float_to_fp8<<<blocks, 128>>>(n, din, de4m3, de5m2);
        std::vector<unsigned char> e4m3(n), e5m2(n);
        for (int i = 0; i < n; ++i) {
            e4m3[i] = nearest(in[i], value_of_e4m3);
            e5m2[i] = nearest(in[i], value_of_e5m2);
        }
        check::exact("float_to_fp8_e4m3", de4m3.to_host(), e4m3);
        check::exact("float_to_fp8_e5m2", de5m2.to_host(), e5m2);
    }
    {
        check::DeviceBuffer<unsigned short> dpacked(n / 2);
        check::DeviceBuffer<float> dout(n);
        fp8_pairs<<<blocks, 128>>>(n / 2, reinterpret_cast<float2 *>((float *)din), dpacked,
                                   reinterpret_cast<float2 *>((float *)dout));
        std::vector<unsigned short> packed(n / 2);
        std::vector<float> out(n);
        for (int i = 0; i < n; ++i) {
            unsigned char bits = nearest(in[i], value_of_e4m3);
            packed[i / 2] = static_cast<unsigned short>(packed[i / 2] | bits << (i % 2 * 8));
            float wide = static_cast<float>(value_of_e4m3(bits));
            out[i] = i % 2 ? wide - 1.0f : wide * 2.0f;
        }
        check::exact("fp8_pairs_packed", dpacked.to_host(), packed);
        check::exact("fp8_pairs_wide", dout.to_host(), out);
    }
    {
        check::DeviceBuffer<float> dout(n);
        fp8_classes<<<blocks, 128>>>(n, din, dout);
        std::vector<float> out(n);
        for (int i = 0; i < n; ++i) {
            out[i] = static_cast<float>(value_of_e4m3(nearest(in[i], value_of_e4m3))) +
                     static_cast<float>(value_of_e5m2(nearest(in[i], value_of_e5m2)));
        }
        check::exact("fp8_classes", dout.to_host(), out);
    }
    {
        check::DeviceBuffer<unsigned> dout(n);
        float_to_tf32<<<blocks, 128>>>(n, din, dout);
        std::vector<unsigned> out(n);
        for (int i = 0; i < n; ++i) {
            // To nearest, ties away from zero: half of the last kept place is added to the magnitude.
            unsigned bits;
            std::memcpy(&bits, &in[i], 4);
            out[i] = (bits + 0x1000u) & 0xFFFFE000u;
        }
        check::exact("float_to_tf32", dout.to_host(), out);
    }
    return check::finish();
}
