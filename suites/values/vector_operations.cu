// Element-wise vector kernels: saxpy, integer sums, four-wide loads, grid-stride loops, strided gathers, double lerp.
#include "support/check.cuh"

__global__ void saxpy(int n, float a, const float *x, float *y) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        y[i] = fmaf(a, x[i], y[i]);
    }
}

__global__ void vector_add_wrapping(int n, const unsigned *a, const unsigned *b, unsigned *sum) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        sum[i] = a[i] + b[i];
    }
}

__global__ void scale_four_wide(int n4, float factor, const float4 *in, float4 *out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n4) {
        float4 v = in[i];
        out[i] = make_float4(v.x * factor, v.y * factor, v.z * factor, v.w * factor);
    }
}

__global__ void grid_stride_mix(int n, const unsigned long long *in, unsigned long long *out) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        unsigned long long v = in[i];
        v ^= v << 13;
        v ^= v >> 7;
        v ^= v << 17;
        out[i] = v * 0x2545F4914F6CDD1Dull;
    }
}

__global__ void permuted_gather(int n, const int *index, const short *in, int *out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        out[i] = in[index[i]] * 3 - i;
    }
}

__global__ void lerp_double(int n, const double *a, const double *b, double t, double *out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        out[i] = fma(t, b[i], fma(-t, a[i], a[i]));
    }
}

int main() {
    const int n = 50000;
    const int blocks = (n + 255) / 256;
    {
        auto x = check::reals<float>(n, 1, -8, 8), y = check::reals<float>(n, 2, -8, 8);
        check::DeviceBuffer<float> dx(x), dy(y);
        saxpy<<<blocks, 256>>>(n, 1.7f, dx, dy);
        for (int i = 0; i < n; ++i) {
            y[i] = fmaf(1.7f, x[i], y[i]);
        }
        check::exact("saxpy", dy.to_host(), y);
    }
    {
        auto a = check::patterns<unsigned>(n, 3), b = check::patterns<unsigned>(n, 4);
        check::DeviceBuffer<unsigned> da(a), db(b), dsum(n);
        vector_add_wrapping<<<blocks, 256>>>(n, da, db, dsum);
        std::vector<unsigned> sum(n);
        for (int i = 0; i < n; ++i) {
            sum[i] = a[i] + b[i];
        }
        check::exact("vector_add_wrapping", dsum.to_host(), sum);
    }
    {
        auto in = check::reals<float>(n, 5, -100, 100);
        check::DeviceBuffer<float> din(in), dout(n);
        scale_four_wide<<<(n / 4 + 127) / 128, 128>>>(n / 4, 0.37f, reinterpret_cast<float4 *>((float *)din),
                                                      reinterpret_cast<float4 *>((float *)dout));
        std::vector<float> out(n);
        for (int i = 0; i < n; ++i) {
            out[i] = in[i] * 0.37f;
        }
        check::exact("scale_four_wide", dout.to_host(), out);
    }
    {
        auto in = check::patterns<unsigned long long>(n, 6);
        check::DeviceBuffer<unsigned long long> din(in), dout(n);
        grid_stride_mix<<<13, 96>>>(n, din, dout);
        std::vector<unsigned long long> out(n);
        for (int i = 0; i < n; ++i) {
            unsigned long long v = in[i];
            v ^= v << 13;
            v ^= v >> 7;
            v ^= v << 17;
            out[i] = v * 0x2545F4914F6CDD1Dull;
        }
        check::exact("grid_stride_mix", dout.to_host(), out);
    }
    {
        auto index = check::integers<int>(n, 7, 0, n - 1);
        auto in = check::patterns<short>(n, 8);
        check::DeviceBuffer<int> dindex(index), dout(n);
        check::DeviceBuffer<short> din(in);
        permuted_gather<<<blocks, 256>>>(n, dindex, din, dout);
        std::vector<int> out(n);
        for (int i = 0; i < n; ++i) {
            out[i] = in[index[i]] * 3 - i;
        }
        check::exact("permuted_gather", dout.to_host(), out);
    }
    {
        auto a = check::reals<double>(n, 9, -1, 1), b = check::reals<double>(n, 10, -1, 1);
        check::DeviceBuffer<double> da(a), db(b), dout(n);
        lerp_double<<<blocks, 256>>>(n, da, db, 0.3, dout);
        std::vector<double> out(n);
        for (int i = 0; i < n; ++i) {
            out[i] = std::fma(0.3, b[i], std::fma(-0.3, a[i], a[i]));
        }
        check::exact("lerp_double", dout.to_host(), out);
    }
    return check::finish();
}
