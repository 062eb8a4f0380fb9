// Fourier transforms: radix 2 in shared memory (float, double), the plain sum, radix 4 in registers, modulo a prime.
#include "support/check.cuh"

#include <complex>

// Stockham's radix-2 transform of 1024 points, one block each, between two halves of shared memory.
__global__ void fft_single_shared(const float2 *in, float2 *out, float sign) {
    __shared__ float2 halves[2][1024];
    int t = threadIdx.x;
    for (int i = t; i < 1024; i += 256) {
        halves[0][i] = in[blockIdx.x * 1024 + i];
    }
    int now = 0;
    for (int length = 1; length < 1024; length *= 2) {
        __syncthreads();
        for (int j = t; j < 512; j += 256) {
            int k = j & (length - 1);
            float2 a = halves[now][j], b = halves[now][j + 512];
            float s, c;
            sincospif(sign * k / length, &s, &c);
            float2 w = make_float2(b.x * c - b.y * s, b.x * s + b.y * c);
            int target = ((j - k) << 1) + k;
            halves[1 - now][target] = make_float2(a.x + w.x, a.y + w.y);
            halves[1 - now][target + length] = make_float2(a.x - w.x, a.y - w.y);
        }
        now = 1 - now;
    }
    __syncthreads();
    for (int i = t; i < 1024; i += 256) {
        out[blockIdx.x * 1024 + i] = halves[now][i];
    }
}

// Cooley-Tukey in place: bit reversal, then butterflies.
__global__ void fft_double_in_place(double2 *data) {
    extern __shared__ double2 points[];
    int t = threadIdx.x;
    data += blockIdx.x * 512;
    for (int i = t; i < 512; i += 256) {
        points[__brev(i) >> 23] = data[i];
    }
    for (int half = 1; half < 512; half *= 2) {
        __syncthreads();
        int k = t & (half - 1);
        int low = ((t - k) << 1) + k;
        double s, c;
        sincospi(-static_cast<double>(k) / half, &s, &c);
        double2 a = points[low], b = points[low + half];
        double2 w = make_double2(b.x * c - b.y * s, b.x * s + b.y * c);
        points[low] = make_double2(a.x + w.x, a.y + w.y);
        points[low + half] = make_double2(a.x - w.x, a.y - w.y);
    }
    __syncthreads();
    for (int i = t; i < 512; i += 256) {
        data[i] = points[i];
    }
}

__global__ void dft_plain_sum(int n, const float *in, float2 *out) {
    int k = blockIdx.x * blockDim.x + threadIdx.x;
    if (k < n) {
        float re = 0, im = 0;
        for (int j = 0; j < n; ++j) {
            float s, c;
            sincospif(-2.0f * static_cast<float>(j * k % n) / static_cast<float>(n), &s, &c);
            re += in[j] * c;
            im += in[j] * s;
        }
        out[k] = make_float2(re, im);
    }
}

// Sixteen points in the registers of one thread, as four by four.
__global__ void fft_sixteen_in_registers(int count, const float2 *in, float2 *out) {
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    if (t >= count) {
        return;
    }
    float2 v[16];
    for (int i = 0; i < 16; ++i) {
        v[i] = in[t * 16 + i];
    }
    auto four = [](float2 &a, float2 &b, float2 &c, float2 &d) {
        float2 s = make_float2(a.x + c.x, a.y + c.y), m = make_float2(a.x - c.x, a.y - c.y);
        float2 p = make_float2(b.x + d.x, b.y + d.y), q = make_float2(b.y - d.y, d.x - b.x);
        a = make_float2(s.x + p.x, s.y + p.y);
        b = make_float2(m.x + q.x, m.y + q.y);
        c = make_float2(s.x - p.x, s.y - p.y);
        d = make_float2(m.x - q.x, m.y - q.y);
    };
#pragma unroll
    for (int i = 0; i < 4; ++i) {
        four(v[i], v[i + 4], v[i + 8], v[i + 12]);
    }
#pragma unroll
    for (int i = 1; i < 4; ++i) {
#pragma unroll
        for (int j = 1; j < 4; ++j) {
            float s, c;
            sincospif(-0.125f * (i * j), &s, &c);
            float2 x = v[4 * j + i];
            v[4 * j + i] = make_float2(x.x * c - x.y * s, x.x * s + x.y * c);
        }
    }
#pragma unroll
    for (int j = 0; j < 4; ++j) {
        four(v[4 * j], v[4 * j + 1], v[4 * j + 2], v[4 * j + 3]);
    }
#pragma unroll
    for (int j = 0; j < 4; ++j) {
#pragma unroll
        for (int i = 0; i < 4; ++i) {
            out[t * 16 + 4 * i + j] = v[4 * j + i];
        }
    }
}

constexpr unsigned PRIME = 998244353;

__host__ __device__ inline unsigned multiply_modulo(unsigned a, unsigned b) {
    return static_cast<unsigned>(static_cast<unsigned long long>(a) * b % PRIME);
}

__host__ __device__ inline unsigned power_modulo(unsigned base, unsigned exponent) {
    unsigned result = 1;
    for (; exponent != 0; exponent /= 2) {
        result = exponent & 1 ? multiply_modulo(result, base) : result;
        base = multiply_modulo(base, base);
    }
    return result;
}

__global__ void ntt_in_place(unsigned *data) {
    __shared__ unsigned points[512];
    int t = threadIdx.x;
    data += blockIdx.x * 512;
    for (int i = t; i < 512; i += 256) {
        points[__brev(i) >> 23] = data[i];
    }
    for (int half = 1; half < 512; half *= 2) {
        __syncthreads();
        int k = t & (half - 1);
        int low = ((t - k) << 1) + k;
        unsigned root = power_modulo(3, (PRIME - 1) / (2 * half) * k);
        unsigned a = points[low], b = multiply_modulo(points[low + half], root);
        points[low] = a + b < PRIME ? a + b : a + b - PRIME;
        points[low + half] = a >= b ? a - b : a + PRIME - b;
    }
    __syncthreads();
    for (int i = t; i < 512; i += 256) {
        data[i] = points[i];
    }
}

template <typename T>
std::vector<double> reference(int length, const std::vector<T> &in, double sign) {
    std::vector<double> cosine(length), sine(length), out(in.size());
    for (int i = 0; i < length; ++i) {
        cosine[i] = std::cos(2 * M_PI * i / length);
        sine[i] = sign * std::sin(2 * M_PI * i / length);
    }
    for (size_t base = 0; base < in.size(); base += 2 * length) {
        for (int k = 0; k < length; ++k) {
            double re = 0, im = 0;
            for (int j = 0; j < length; ++j) {
                int w = static_cast<int>(static_cast<long long>(j) * k % length);
                double x = in[base + 2 * j], y = in[base + 2 * j + 1];
                re += x * cosine[w] - y * sine[w];
                im += x * sine[w] + y * cosine[w];
            }
            out[base + 2 * k] = re;
            out[base + 2 * k + 1] = im;
        }
    }
    return out;
}

int main() {
    {
        const int transforms = 3;
        auto in = check::reals<float>(2 * 1024 * transforms, 81, -1, 1);
        check::DeviceBuffer<float> din(in), dout(in.size()), dback(in.size());
        auto points = [](check::DeviceBuffer<float> &b) { return reinterpret_cast<float2 *>((float *)b); };
        fft_single_shared<<<transforms, 256>>>(points(din), points(dout), -1.0f);
        check::approximate("fft_single_shared", dout.to_host(), reference(1024, in, -1), 1e-5, 2e-4);
        fft_single_shared<<<transforms, 256>>>(points(dout), points(dback), 1.0f);
        auto back = dback.to_host();
        for (auto &v : back) {
            v /= 1024;
        }
        check::approximate("fft_single_shared_and_back", back, in, 1e-5, 1e-5);
    }
    {
        const int transforms = 4;
        auto in = check::reals<double>(2 * 512 * transforms, 82, -1, 1);
        check::DeviceBuffer<double> data(in);
        fft_double_in_place<<<transforms, 256, 512 * sizeof(double2)>>>(reinterpret_cast<double2 *>((double *)data));
        check::approximate("fft_double_in_place", data.to_host(), reference(512, in, -1), 1e-12, 1e-11);
    }
    {
        const int n = 300;
        auto in = check::reals<float>(n, 83, -1, 1);
        check::DeviceBuffer<float> din(in), dout(2 * n);
        dft_plain_sum<<<(n + 63) / 64, 64>>>(n, din, reinterpret_cast<float2 *>((float *)dout));
        std::vector<float> complex_in(2 * n);
        for (int i = 0; i < n; ++i) {
            complex_in[2 * i] = in[i];
        }
        check::approximate("dft_plain_sum", dout.to_host(), reference(n, complex_in, -1), 1e-4, 2e-4);
    }
    {
        const int count = 700;
        auto in = check::reals<float>(2 * 16 * count, 84, -1, 1);
        check::DeviceBuffer<float> din(in), dout(in.size());
        fft_sixteen_in_registers<<<(count + 127) / 128, 128>>>(count, reinterpret_cast<float2 *>((float *)din),
                                                               reinterpret_cast<float2 *>((float *)dout));
        check::approximate("fft_sixteen_in_registers", dout.to_host(), reference(16, in, -1), 1e-5, 1e-5);
    }
    {
        const int transforms = 3;
        auto in = check::integers<unsigned>(512 * transforms, 85, 0, PRIME - 1);
        check::DeviceBuffer<unsigned> data(in);
        ntt_in_place<<<transforms, 256>>>(data);
        std::vector<unsigned> out(in.size()), roots(512, 1);
        for (int i = 1; i < 512; ++i) {
            roots[i] = multiply_modulo(roots[i - 1], power_modulo(3, (PRIME - 1) / 512));
        }
        for (size_t base = 0; base < in.size(); base += 512) {
            for (int k = 0; k < 512; ++k) {
                unsigned long long sum = 0;
                for (int j = 0; j < 512; ++j) {
                    sum += multiply_modulo(in[base + j], roots[j * k % 512]);
                }
                out[base + k] = static_cast<unsigned>(sum % PRIME);
            }
        }
        check::exact("ntt_in_place", data.to_host(), out);
    }
    return check::finish();
}
