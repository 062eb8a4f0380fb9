// Matrix products by mma.sync with ldmatrix, stmatrix and movmatrix in inline PTX; whole numbers make every sum exact.
#include "support/check.cuh"

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>

__device__ unsigned shared_address(const void *pointer) {
    return static_cast<unsigned>(__cvta_generic_to_shared(pointer));
}

template <typename T> __device__ unsigned word_at(const T *pointer) {
    return *reinterpret_cast<const unsigned *>(pointer);
}

// All kernels: one warp for each tile of the result. A is row-major with rows of k elements; unless said otherwise B
// is column-major with columns of k elements.

// B is row-major here: ldmatrix.trans turns it.
__global__ void mma_f16_ldmatrix(int n, int k, const __half *a, const __half *b, float *c) {
    __shared__ __align__(16) __half tile_a[16][16];
    __shared__ __align__(16) __half tile_b[16][8];
    int lane = threadIdx.x, row = blockIdx.y * 16, column = blockIdx.x * 8;
    float d0 = 0, d1 = 0, d2 = 0, d3 = 0;
    for (int base = 0; base < k; base += 16) {
        for (int i = lane; i < 256; i += 32) {
            tile_a[i / 16][i % 16] = a[(row + i / 16) * k + base + i % 16];
        }
        for (int i = lane; i < 128; i += 32) {
            tile_b[i / 8][i % 8] = b[(base + i / 8) * n + column + i % 8];
        }
        __syncwarp();
        unsigned a0, a1, a2, a3, b0, b1;
        asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                     : "=r"(a0), "=r"(a1), "=r"(a2), "=r"(a3)
                     : "r"(shared_address(&tile_a[lane % 16][lane / 16 * 8]))
                     : "memory");
        asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0, %1}, [%2];"
                     : "=r"(b0), "=r"(b1)
                     : "r"(shared_address(&tile_b[lane % 16][0]))
                     : "memory");
        asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
                     "{%0, %1, %2, %3};"
                     : "+f"(d0), "+f"(d1), "+f"(d2), "+f"(d3)
                     : "r"(a0), "r"(a1), "r"(a2), "r"(a3), "r"(b0), "r"(b1));
        __syncwarp();
    }
    int r = row + lane / 4, q = column + lane % 4 * 2;
    c[r * n + q] = d0;
    c[r * n + q + 1] = d1;
    c[(r + 8) * n + q] = d2;
    c[(r + 8) * n + q + 1] = d3;
}

__global__ void mma_f16_sums_in_f16(int n, int k, const __half *a, const __half *b, __half *c) {
    int lane = threadIdx.x, row = blockIdx.y * 16 + lane / 4, column = blockIdx.x * 8;
    unsigned d0 = 0, d1 = 0;
    for (int base = 0; base < k; base += 8) {
        int at = base + lane % 4 * 2;
        asm volatile("mma.sync.aligned.m16n8k8.row.col.f16.f16.f16.f16 {%0, %1}, {%2, %3}, {%4}, {%0, %1};"
                     : "+r"(d0), "+r"(d1)
                     : "r"(word_at(a + row * k + at)), "r"(word_at(a + (row + 8) * k + at)),
                       "r"(word_at(b + (column + lane / 4) * k + at)));
    }
    *reinterpret_cast<unsigned *>(c + row * n + column + lane % 4 * 2) = d0;
    *reinterpret_cast<unsigned *>(c + (row + 8) * n + column + lane % 4 * 2) = d1;
}

__global__ void mma_bf16(int n, int k, const __nv_bfloat16 *a, const __nv_bfloat16 *b, float *c) {
    int lane = threadIdx.x, row = blockIdx.y * 16 + lane / 4, column = blockIdx.x * 8;
    float d0 = 0, d1 = 0, d2 = 0, d3 = 0;
    for (int base = 0; base < k; base += 16) {
        const __nv_bfloat16 *p = a + row * k + base + lane % 4 * 2;
        const __nv_bfloat16 *q = b + (column + lane / 4) * k + base + lane % 4 * 2;
        asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
                     "{%0, %1, %2, %3};"
                     : "+f"(d0), "+f"(d1), "+f"(d2), "+f"(d3)
                     : "r"(word_at(p)), "r"(word_at(p + 8 * k)), "r"(word_at(p + 8)), "r"(word_at(p + 8 * k + 8)),
                       "r"(word_at(q)), "r"(word_at(q + 8)));
    }
    float2 *out = reinterpret_cast<float2 *>(c + row * n + column + lane % 4 * 2);
    out[0] = make_float2(d0, d1);
    out[8 * n / 2] = make_float2(d2, d3);
}

__global__ void mma_tf32(int n, int k, const float *a, const float *b, float *c) {
    int lane = threadIdx.x, row = blockIdx.y * 16 + lane / 4, column = blockIdx.x * 8;
    float d0 = 0, d1 = 0, d2 = 0, d3 = 0;
    for (int base = 0; base < k; base += 8) {
        const float *p = a + row * k + base + lane % 4;
        const float *q = b + (column + lane / 4) * k + base + lane % 4;
        asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
                     "{%0, %1, %2, %3};"
                     : "+f"(d0), "+f"(d1), "+f"(d2), "+f"(d3)
                     : "r"(word_at(p)), "r"(word_at(p + 8 * k)), "r"(word_at(p + 4)), "r"(word_at(p + 8 * k + 4)),
                       "r"(word_at(q)), "r"(word_at(q + 4)));
    }
    float2 *out = reinterpret_cast<float2 *>(c + row * n + column + lane % 4 * 2);
    out[0] = make_float2(d0, d1);
    out[8 * n / 2] = make_float2(d2, d3);
}

__global__ void mma_f64(int n, int k, const double *a, const double *b, double *c) {
    int lane = threadIdx.x, row = blockIdx.y * 8 + lane / 4, column = blockIdx.x * 8;
    double d0 = 0, d1 = 0;
    for (int base = 0; base < k; base += 4) {
        asm volatile("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0, %1}, {%2}, {%3}, {%0, %1};"
                     : "+d"(d0), "+d"(d1)
                     : "d"(a[row * k + base + lane % 4]), "d"(b[(column + lane / 4) * k + base + lane % 4]));
    }
    c[row * n + column + lane % 4 * 2] = d0;
    c[row * n + column + lane % 4 * 2 + 1] = d1;
}

__global__ void mma_s8(int n, int k, const signed char *a, const signed char *b, int *c) {
    int lane = threadIdx.x, row = blockIdx.y * 16 + lane / 4, column = blockIdx.x * 8;
    int d0 = 0, d1 = 0, d2 = 0, d3 = 0;
    for (int base = 0; base < k; base += 32) {
        const signed char *p = a + row * k + base + lane % 4 * 4;
        const signed char *q = b + (column + lane / 4) * k + base + lane % 4 * 4;
        asm volatile("mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
                     "{%0, %1, %2, %3};"
                     : "+r"(d0), "+r"(d1), "+r"(d2), "+r"(d3)
                     : "r"(word_at(p)), "r"(word_at(p + 8 * k)), "r"(word_at(p + 16)), "r"(word_at(p + 8 * k + 16)),
                       "r"(word_at(q)), "r"(word_at(q + 16)));
    }
    int2 *out = reinterpret_cast<int2 *>(c + row * n + column + lane % 4 * 2);
    out[0] = make_int2(d0, d1);
    out[8 * n / 2] = make_int2(d2, d3);
}

__global__ void mma_e4m3(int n, int k, const __nv_fp8_e4m3 *a, const __nv_fp8_e4m3 *b, float *c) {
    int lane = threadIdx.x, row = blockIdx.y * 16 + lane / 4, column = blockIdx.x * 8;
    float d0 = 0, d1 = 0, d2 = 0, d3 = 0;
    for (int base = 0; base < k; base += 32) {
        const __nv_fp8_e4m3 *p = a + row * k + base + lane % 4 * 4;
        const __nv_fp8_e4m3 *q = b + (column + lane / 4) * k + base + lane % 4 * 4;
        asm volatile("mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e4m3.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
                     "{%0, %1, %2, %3};"
                     : "+f"(d0), "+f"(d1), "+f"(d2), "+f"(d3)
                     : "r"(word_at(p)), "r"(word_at(p + 8 * k)), "r"(word_at(p + 16)), "r"(word_at(p + 8 * k + 16)),
                       "r"(word_at(q)), "r"(word_at(q + 16)));
    }
    float2 *out = reinterpret_cast<float2 *>(c + row * n + column + lane % 4 * 2);
    out[0] = make_float2(d0, d1);
    out[8 * n / 2] = make_float2(d2, d3);
}

// Four 8x8 matrices: loaded as they are, each turned by movmatrix, stored by stmatrix.
__global__ void turn_matrices(const unsigned short *in, unsigned short *out) {
    __shared__ __align__(16) unsigned short tiles[32][8], turned[32][8];
    int lane = threadIdx.x;
    for (int i = lane; i < 256; i += 32) {
        tiles[i / 8][i % 8] = in[blockIdx.x * 256 + i];
    }
    __syncwarp();
    unsigned r[4];
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
                 : "r"(shared_address(tiles[lane]))
                 : "memory");
    for (int i = 0; i < 4; ++i) {
        asm volatile("movmatrix.sync.aligned.m8n8.trans.b16 %0, %0;" : "+r"(r[i]));
    }
    asm volatile("stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], {%1, %2, %3, %4};" ::"r"(shared_address(turned[lane])),
                 "r"(r[0]), "r"(r[1]), "r"(r[2]), "r"(r[3])
                 : "memory");
    __syncwarp();
    for (int i = lane; i < 256; i += 32) {
        out[blockIdx.x * 256 + i] = turned[i / 8][i % 8];
    }
}

template <typename T> std::vector<T> converted(const std::vector<int> &values) {
    std::vector<T> out(values.size());
    for (size_t i = 0; i < values.size(); ++i) {
        out[i] = static_cast<T>(static_cast<float>(values[i]));
    }
    return out;
}

template <typename Input, typename Sum, typename Kernel>
void check_product(const char *name, Kernel kernel, int tile_rows, int low, int high, uint64_t seed,
                   bool b_row_major = false) {
    const int m = 48, n = 40, k = 64;
    auto a = check::integers<int>(m * k, seed, low, high), b = check::integers<int>(n * k, seed + 1000, low, high);
    check::DeviceBuffer<Input> da(converted<Input>(a)), db(converted<Input>(b));
    check::DeviceBuffer<Sum> dc(m * n);
    kernel<<<dim3(n / 8, m / tile_rows), 32>>>(n, k, da, db, dc);
    std::vector<int> c(m * n);
    for (int row = 0; row < m; ++row) {
        for (int column = 0; column < n; ++column) {
            for (int i = 0; i < k; ++i) {
                c[row * n + column] += a[row * k + i] * (b_row_major ? b[i * n + column] : b[column * k + i]);
            }
        }
    }
    check::exact(name, dc.to_host(), converted<Sum>(c));
}

int main() {
    check_product<__half, float>("mma_f16_ldmatrix", mma_f16_ldmatrix, 16, -60, 60, 121, true);
    check_product<__half, __half>("mma_f16_sums_in_f16", mma_f16_sums_in_f16, 16, -4, 4, 122);
    check_product<__nv_bfloat16, float>("mma_bf16", mma_bf16, 16, -60, 60, 123);
    check_product<float, float>("mma_tf32", mma_tf32, 16, -400, 400, 124);
    check_product<double, double>("mma_f64", mma_f64, 8, -400, 400, 125);
    check_product<signed char, int>("mma_s8", mma_s8, 16, -128, 127, 126);
    check_product<__nv_fp8_e4m3, float>("mma_e4m3", mma_e4m3, 16, -8, 8, 127);
    {
        const int count = 6;
        auto in = check::patterns<unsigned short>(256 * count, 128);
        check::DeviceBuffer<unsigned short> din(in), dout(in.size());
        turn_matrices<<<count, 32>>>(din, dout);
        std::vector<unsigned short> out(in.size());
        for (size_t i = 0; i < in.size(); ++i) {
            out[i / 64 * 64 + i % 8 * 8 + i / 8 % 8] = in[i];
        }
        check::exact("turn_matrices", dout.to_host(), out);
    }
    return check::finish();
}
