// Matrix products without tensor cores: direct, tiled, double-buffered, register-blocked, double, and integer.
#include "support/check.cuh"

// All kernels add the terms of one element in the order of k with fused steps, so that the bits are defined.
__global__ void matmul_direct(int m, int n, int k, const float *a, const float *b, float *c) {
    int column = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row < m && column < n) {
        float sum = 0;
        for (int i = 0; i < k; ++i) {
            sum = fmaf(a[row * k + i], b[i * n + column], sum);
        }
        c[row * n + column] = sum;
    }
}

__global__ void matmul_tiled(int m, int n, int k, const float *a, const float *b, float *c) {
    __shared__ float tile_a[16][16], tile_b[16][17];
    int x = threadIdx.x, y = threadIdx.y;
    int column = blockIdx.x * 16 + x, row = blockIdx.y * 16 + y;
    float sum = 0;
    for (int base = 0; base < k; base += 16) {
        tile_a[y][x] = row < m && base + x < k ? a[row * k + base + x] : 0.0f;
        tile_b[y][x] = column < n && base + y < k ? b[(base + y) * n + column] : 0.0f;
        __syncthreads();
#pragma unroll
        for (int i = 0; i < 16; ++i) {
            sum = fmaf(tile_a[y][i], tile_b[i][x], sum);
        }
        __syncthreads();
    }
    if (row < m && column < n) {
        c[row * n + column] = sum;
    }
}

// The next pair of tiles is read while the present one is multiplied: one barrier for each step.
__global__ void matmul_double_buffered(int n, const double *a, const double *b, double *c) {
    __shared__ double tile_a[2][16][17], tile_b[2][16][17];
    int x = threadIdx.x, y = threadIdx.y;
    int column = blockIdx.x * 16 + x, row = blockIdx.y * 16 + y;
    double sum = 0;
    tile_a[0][y][x] = a[row * n + x];
    tile_b[0][y][x] = b[y * n + column];
    __syncthreads();
    for (int base = 0, now = 0; base < n; base += 16, now ^= 1) {
        double next_a = 0, next_b = 0;
        if (base + 16 < n) {
            next_a = a[row * n + base + 16 + x];
            next_b = b[(base + 16 + y) * n + column];
        }
#pragma unroll
        for (int i = 0; i < 16; ++i) {
            sum = fma(tile_a[now][y][i], tile_b[now][i][x], sum);
        }
        tile_a[now ^ 1][y][x] = next_a;
        tile_b[now ^ 1][y][x] = next_b;
        __syncthreads();
    }
    c[row * n + column] = sum;
}

// A block of 64 threads computes 32 by 32 elements, 4 by 4 in the registers of each thread.
__global__ void matmul_register_blocked(int n, const float *a, const float *b, float *c) {
    __shared__ __align__(16) float tile_a[8][32];
    __shared__ __align__(16) float tile_b[8][32];
    int t = threadIdx.x, tx = t % 8, ty = t / 8;
    float sum[4][4] = {};
    for (int base = 0; base < n; base += 8) {
        for (int i = t; i < 256; i += 64) {
            tile_a[i % 8][i / 8] = a[(blockIdx.y * 32 + i / 8) * n + base + i % 8];
            tile_b[i / 32][i % 32] = b[(base + i / 32) * n + blockIdx.x * 32 + i % 32];
        }
        __syncthreads();
#pragma unroll
        for (int k = 0; k < 8; ++k) {
            float4 left = *reinterpret_cast<float4 *>(&tile_a[k][ty * 4]);
            float4 right = *reinterpret_cast<float4 *>(&tile_b[k][tx * 4]);
            const float l[4] = {left.x, left.y, left.z, left.w}, r[4] = {right.x, right.y, right.z, right.w};
#pragma unroll
            for (int i = 0; i < 4; ++i) {
#pragma unroll
                for (int j = 0; j < 4; ++j) {
                    sum[i][j] = fmaf(l[i], r[j], sum[i][j]);
                }
            }
        }
        __syncthreads();
    }
    for (int i = 0; i < 4; ++i) {
        for (int j = 0; j < 4; ++j) {
            c[(blockIdx.y * 32 + ty * 4 + i) * n + blockIdx.x * 32 + tx * 4 + j] = sum[i][j];
        }
    }
}

__global__ void matmul_integers_split_k(int m, int n, int k, int split, const unsigned *a, const unsigned *b,
                                        unsigned *c) {
    int column = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    int first = blockIdx.z * split, last = min(k, first + split);
    if (row < m && column < n) {
        unsigned sum = 0;
        for (int i = first; i < last; ++i) {
            sum += a[row * k + i] * b[i * n + column];
        }
        atomicAdd(&c[row * n + column], sum);
    }
}

float fused(float a, float b, float c) { return fmaf(a, b, c); }
double fused(double a, double b, double c) { return std::fma(a, b, c); }
unsigned fused(unsigned a, unsigned b, unsigned c) { return a * b + c; }

template <typename T>
std::vector<T> product(int m, int n, int k, const std::vector<T> &a, const std::vector<T> &b) {
    std::vector<T> c(m * n);
    for (int row = 0; row < m; ++row) {
        for (int i = 0; i < k; ++i) {
            for (int column = 0; column < n; ++column) {
                c[row * n + column] = fused(a[row * k + i], b[i * n + column], c[row * n + column]);
            }
        }
    }
    return c;
}

int main() {
    {
        const int m = 70, n = 100, k = 55;
        auto a = check::reals<float>(m * k, 91, -1, 1), b = check::reals<float>(k * n, 92, -1, 1);
        check::DeviceBuffer<float> da(a), db(b), dc(m * n), dt(m * n);
        auto c = product(m, n, k, a, b);
        dim3 grid((n + 15) / 16, (m + 15) / 16), block(16, 16);
        matmul_direct<<<grid, block>>>(m, n, k, da, db, dc);
        check::exact("matmul_direct", dc.to_host(), c);
        matmul_tiled<<<grid, block>>>(m, n, k, da, db, dt);
        check::exact("matmul_tiled", dt.to_host(), c);
    }
    {
        const int n = 96;
        auto a = check::reals<double>(n * n, 93, -1, 1), b = check::reals<double>(n * n, 94, -1, 1);
        check::DeviceBuffer<double> da(a), db(b), dc(n * n);
        matmul_double_buffered<<<dim3(n / 16, n / 16), dim3(16, 16)>>>(n, da, db, dc);
        check::exact("matmul_double_buffered", dc.to_host(), product(n, n, n, a, b));
    }
    {
        const int n = 128;
        auto a = check::reals<float>(n * n, 95, -1, 1), b = check::reals<float>(n * n, 96, -1, 1);
        check::DeviceBuffer<float> da(a), db(b), dc(n * n);
        matmul_register_blocked<<<dim3(n / 32, n / 32), 64>>>(n, da, db, dc);
        check::exact("matmul_register_blocked", dc.to_host(), product(n, n, n, a, b));
    }
    {
        const int m = 33, n = 47, k = 120;
        auto a = check::patterns<unsigned>(m * k, 97), b = check::patterns<unsigned>(k * n, 98);
        check::DeviceBuffer<unsigned> da(a), db(b), dc(m * n);
        matmul_integers_split_k<<<dim3((n + 15) / 16, (m + 7) / 8, 4), dim3(16, 8)>>>(
            m, n, k, 30, da, db, dc);
        check::exact("matmul_integers_split_k", dc.to_host(), product(m, n, k, a, b));
    }
    return check::finish();
}
