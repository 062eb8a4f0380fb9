// Convolutions and pooling: constant taps, shared halos, separable passes, channels, maximum pooling, median of nine.
#include "support/check.cuh"

#include <algorithm>

__constant__ float taps[9];
__constant__ int kernel_plane[25];

__global__ void convolve_line_constant(int n, const float *in, float *out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        float sum = 0;
        for (int k = 0; k < 9; ++k) {
            int at = i + k - 4;
            if (at >= 0 && at < n) {
                sum = fmaf(taps[k], in[at], sum);
            }
        }
        out[i] = sum;
    }
}

__global__ void convolve_plane_shared(int width, int height, const int *in, int *out) {
    __shared__ int tile[20][20];
    int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
    for (int j = threadIdx.y; j < 20; j += 16) {
        for (int i = threadIdx.x; i < 20; i += 16) {
            int sx = blockIdx.x * 16 + i - 2, sy = blockIdx.y * 16 + j - 2;
            tile[j][i] = sx >= 0 && sy >= 0 && sx < width && sy < height ? in[sy * width + sx] : 0;
        }
    }
    __syncthreads();
    if (x < width && y < height) {
        int sum = 0;
#pragma unroll
        for (int k = 0; k < 25; ++k) {
            sum += kernel_plane[k] * tile[threadIdx.y + k / 5][threadIdx.x + k % 5];
        }
        out[y * width + x] = sum;
    }
}

// The two passes of a separable filter, as one template over the direction.
template <bool ALONG_ROWS> __global__ void convolve_separable(int width, int height, const float *in, float *out) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < width && y < height) {
        float sum = 0;
        for (int k = -2; k <= 2; ++k) {
            int sx = ALONG_ROWS ? min(max(x + k, 0), width - 1) : x;
            int sy = ALONG_ROWS ? y : min(max(y + k, 0), height - 1);
            sum = fmaf(taps[k + 4], in[sy * width + sx], sum);
        }
        out[y * width + x] = sum;
    }
}

// Several channels in and out, stride 2, no padding; the batch is the third axis of the grid.
__global__ void convolve_channels(int size, int in_channels, const float *in, const float *weights, float *out) {
    int out_size = (size - 3) / 2 + 1;
    int x = threadIdx.x, y = threadIdx.y, channel = blockIdx.y, image = blockIdx.z;
    if (x < out_size && y < out_size) {
        float sum = 0;
        for (int c = 0; c < in_channels; ++c) {
            for (int j = 0; j < 3; ++j) {
                for (int i = 0; i < 3; ++i) {
                    sum += in[((image * in_channels + c) * size + 2 * y + j) * size + 2 * x + i] *
                           weights[((channel * in_channels + c) * 3 + j) * 3 + i];
                }
            }
        }
        out[((image * gridDim.y + channel) * out_size + y) * out_size + x] = fmaxf(sum, 0.0f);
    }
}

__global__ void pool_maximum(int width, int height, const float *in, float *out) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < width / 2 && y < height / 2) {
        const float2 *top = reinterpret_cast<const float2 *>(in + 2 * y * width + 2 * x);
        const float2 *bottom = reinterpret_cast<const float2 *>(in + (2 * y + 1) * width + 2 * x);
        out[y * (width / 2) + x] = fmaxf(fmaxf(top->x, top->y), fmaxf(bottom->x, bottom->y));
    }
}

__global__ void median_of_nine(int width, int height, const unsigned char *in, unsigned char *out) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height) {
        return;
    }
    unsigned char v[9];
    for (int k = 0; k < 9; ++k) {
        int sx = min(max(x + k % 3 - 1, 0), width - 1), sy = min(max(y + k / 3 - 1, 0), height - 1);
        v[k] = in[sy * width + sx];
    }
    for (int i = 1; i < 9; ++i) {
        unsigned char key = v[i];
        int j = i - 1;
        while (j >= 0 && v[j] > key) {
            v[j + 1] = v[j];
            --j;
        }
        v[j + 1] = key;
    }
    out[y * width + x] = v[4];
}

int main() {
    const float host_taps[9] = {0.05f, 0.09f, 0.12f, 0.15f, 0.18f, 0.15f, 0.12f, 0.09f, 0.05f};
    int host_plane[25];
    for (int k = 0; k < 25; ++k) {
        host_plane[k] = k * 7 % 11 - 5;
    }
    REQUIRE_SUCCESS(cudaMemcpyToSymbol(taps, host_taps, sizeof(host_taps)));
    REQUIRE_SUCCESS(cudaMemcpyToSymbol(kernel_plane, host_plane, sizeof(host_plane)));
    auto clamped = [](int v, int size) { return v < 0 ? 0 : v >= size ? size - 1 : v; };
    {
        const int n = 20000;
        auto in = check::reals<float>(n, 241, -1, 1);
        check::DeviceBuffer<float> din(in), dout(n);
        convolve_line_constant<<<(n + 127) / 128, 128>>>(n, din, dout);
        std::vector<float> out(n);
        for (int i = 0; i < n; ++i) {
            for (int k = 0; k < 9; ++k) {
                if (i + k - 4 >= 0 && i + k - 4 < n) {
                    out[i] = fmaf(host_taps[k], in[i + k - 4], out[i]);
                }
            }
        }
        check::exact("convolve_line_constant", dout.to_host(), out);
    }
    {
        const int width = 100, height = 61;
        auto in = check::integers<int>(width * height, 242, -500, 500);
        check::DeviceBuffer<int> din(in), dout(width * height);
        convolve_plane_shared<<<dim3((width + 15) / 16, (height + 15) / 16), dim3(16, 16)>>>(width, height, din, dout);
        std::vector<int> out(width * height);
        for (int i = 0; i < width * height; ++i) {
            for (int k = 0; k < 25; ++k) {
                int x = i % width + k % 5 - 2, y = i / width + k / 5 - 2;
                out[i] += x >= 0 && y >= 0 && x < width && y < height ? host_plane[k] * in[y * width + x] : 0;
            }
        }
        check::exact("convolve_plane_shared", dout.to_host(), out);
    }
    {
        const int width = 90, height = 55;
        auto in = check::reals<float>(width * height, 243, -1, 1);
        check::DeviceBuffer<float> din(in), middle(width * height), dout(width * height);
        dim3 grid((width + 31) / 32, (height + 7) / 8), block(32, 8);
        convolve_separable<true><<<grid, block>>>(width, height, din, middle);
        convolve_separable<false><<<grid, block>>>(width, height, middle, dout);
        std::vector<float> rows(width * height), out(width * height);
        for (int i = 0; i < width * height; ++i) {
            for (int k = -2; k <= 2; ++k) {
                rows[i] = fmaf(host_taps[k + 4], in[i / width * width + clamped(i % width + k, width)], rows[i]);
            }
        }
        for (int i = 0; i < width * height; ++i) {
            for (int k = -2; k <= 2; ++k) {
                out[i] = fmaf(host_taps[k + 4], rows[clamped(i / width + k, height) * width + i % width], out[i]);
            }
        }
        check::exact("convolve_separable", dout.to_host(), out);
    }
    {
        const int size = 17, in_channels = 5, out_channels = 6, images = 3, out_size = 8;
        auto in = check::integers<float>(images * in_channels * size * size, 244, -9, 9);
        auto weights = check::integers<float>(out_channels * in_channels * 9, 245, -9, 9);
        check::DeviceBuffer<float> din(in), dweights(weights), dout(images * out_channels * out_size * out_size);
        convolve_channels<<<dim3(1, out_channels, images), dim3(8, 8)>>>(size, in_channels, din, dweights, dout);
        std::vector<float> out(images * out_channels * out_size * out_size);
        for (size_t o = 0; o < out.size(); ++o) {
            int x = o % out_size, y = o / out_size % out_size, channel = o / 64 % out_channels;
            int image = static_cast<int>(o) / 64 / out_channels;
            float sum = 0;
            for (int k = 0; k < in_channels * 9; ++k) {
                sum += in[((image * in_channels + k / 9) * size + 2 * y + k / 3 % 3) * size + 2 * x + k % 3] *
                       weights[channel * in_channels * 9 + k];
            }
            out[o] = sum > 0 ? sum : 0;
        }
        check::exact("convolve_channels", dout.to_host(), out);
    }
    {
        const int width = 120, height = 70;
        auto in = check::reals<float>(width * height, 246, -1, 1);
        check::DeviceBuffer<float> din(in), dout(width * height / 4);
        pool_maximum<<<dim3(4, 5), dim3(16, 8)>>>(width, height, din, dout);
        std::vector<float> out(width * height / 4);
        for (int i = 0; i < width * height / 4; ++i) {
            const float *p = &in[i / 60 * 2 * width + i % 60 * 2];
            out[i] = std::max(std::max(p[0], p[1]), std::max(p[width], p[width + 1]));
        }
        check::exact("pool_maximum", dout.to_host(), out);
    }
    {
        const int width = 75, height = 44;
        auto in = check::patterns<unsigned char>(width * height, 247);
        check::DeviceBuffer<unsigned char> din(in), dout(width * height);
        median_of_nine<<<dim3((width + 15) / 16, (height + 7) / 8), dim3(16, 8)>>>(width, height, din, dout);
        std::vector<unsigned char> out(width * height);
        for (int i = 0; i < width * height; ++i) {
            std::vector<unsigned char> v;
            for (int k = 0; k < 9; ++k) {
                v.push_back(in[clamped(i / width + k / 3 - 1, height) * width + clamped(i % width + k % 3 - 1, width)]);
            }
            std::sort(v.begin(), v.end());
            out[i] = v[4];
        }
        check::exact("median_of_nine", dout.to_host(), out);
    }
    return check::finish();
}
