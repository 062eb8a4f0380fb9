// Matrix products by nvcuda::wmma: f16, bf16, tf32, f64, s8, u8 and single bits; whole numbers make every sum exact.
#include "support/check.cuh"

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <mma.h>

namespace wmma = nvcuda::wmma;

// One warp for each tile of the result; A has rows of k elements, B has columns of k elements.
template <int M, int N, int K, typename Input, typename Sum>
__global__ void wmma_product(int n, int k, const Input *a, const Input *b, Sum *c) {
    wmma::fragment<wmma::matrix_a, M, N, K, Input, wmma::row_major> left;
    wmma::fragment<wmma::matrix_b, M, N, K, Input, wmma::col_major> right;
    wmma::fragment<wmma::accumulator, M, N, K, Sum> sum;
    wmma::fill_fragment(sum, Sum(0));
    int row = blockIdx.y * M, column = blockIdx.x * N;
    for (int i = 0; i < k; i += K) {
        wmma::load_matrix_sync(left, a + row * k + i, k);
        wmma::load_matrix_sync(right, b + column * k + i, k);
        wmma::mma_sync(sum, left, right, sum);
    }
    wmma::store_matrix_sync(c + row * n + column, sum, n, wmma::mem_row_major);
}

__global__ void wmma_product_tf32(int n, int k, const float *a, const float *b, float *c) {
    wmma::fragment<wmma::matrix_a, 16, 16, 8, wmma::precision::tf32, wmma::row_major> left;
    wmma::fragment<wmma::matrix_b, 16, 16, 8, wmma::precision::tf32, wmma::col_major> right;
    wmma::fragment<wmma::accumulator, 16, 16, 8, float> sum;
    wmma::fill_fragment(sum, 0.0f);
    int row = blockIdx.y * 16, column = blockIdx.x * 16;
    for (int i = 0; i < k; i += 8) {
        wmma::load_matrix_sync(left, a + row * k + i, k);
        wmma::load_matrix_sync(right, b + column * k + i, k);
        for (int e = 0; e < left.num_elements; ++e) {
            left.x[e] = wmma::__float_to_tf32(left.x[e]);
        }
        for (int e = 0; e < right.num_elements; ++e) {
            right.x[e] = wmma::__float_to_tf32(right.x[e]);
        }
        wmma::mma_sync(sum, left, right, sum);
    }
    wmma::store_matrix_sync(c + row * n + column, sum, n, wmma::mem_row_major);
}

// The operands come from shared memory, and the fragment is scaled element by element: D = 2 * A * B + C.
__global__ void wmma_product_through_shared(const __half *a, const __half *b, const float *c, float *d) {
    __shared__ __align__(32) __half tile_a[16 * 24], tile_b[16 * 24];
    for (int i = threadIdx.x; i < 256; i += 32) {
        tile_a[i / 16 * 24 + i % 16] = a[blockIdx.x * 256 + i];
        tile_b[i / 16 * 24 + i % 16] = b[blockIdx.x * 256 + i];
    }
    __syncwarp();
    wmma::fragment<wmma::matrix_a, 16, 16, 16, __half, wmma::col_major> left;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, __half, wmma::row_major> right;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> sum, addend;
    wmma::fill_fragment(sum, 0.0f);
    wmma::load_matrix_sync(left, tile_a, 24);
    wmma::load_matrix_sync(right, tile_b, 24);
    wmma::mma_sync(sum, left, right, sum);
    wmma::load_matrix_sync(addend, c + blockIdx.x * 256, 16, wmma::mem_col_major);
    for (int e = 0; e < sum.num_elements; ++e) {
        sum.x[e] = 2.0f * sum.x[e] + addend.x[e];
    }
    wmma::store_matrix_sync(d + blockIdx.x * 256, sum, 16, wmma::mem_col_major);
}

__global__ void wmma_product_bits(int n, int words, const unsigned *a, const unsigned *b, int *c) {
    using namespace wmma::experimental;
    wmma::fragment<wmma::matrix_a, 8, 8, 128, precision::b1, wmma::row_major> left;
    wmma::fragment<wmma::matrix_b, 8, 8, 128, precision::b1, wmma::col_major> right;
    wmma::fragment<wmma::accumulator, 8, 8, 128, int> sum;
    wmma::fill_fragment(sum, 0);
    int row = blockIdx.y * 8, column = blockIdx.x * 8;
    for (int i = 0; i < words; i += 4) {
        wmma::load_matrix_sync(left, a + row * words + i, words * 32);
        wmma::load_matrix_sync(right, b + column * words + i, words * 32);
        wmma::bmma_sync(sum, left, right, sum, bmmaBitOpAND, bmmaAccumulateOpPOPC);
    }
    wmma::store_matrix_sync(c + row * n + column, sum, n, wmma::mem_row_major);
}

template <typename Sum>
std::vector<Sum> product(int m, int n, int k, const std::vector<int> &a, const std::vector<int> &b) {
    std::vector<Sum> c(m * n);
    for (int row = 0; row < m; ++row) {
        for (int column = 0; column < n; ++column) {
            int sum = 0;
            for (int i = 0; i < k; ++i) {
                sum += a[row * k + i] * b[column * k + i];
            }
            c[row * n + column] = static_cast<Sum>(static_cast<float>(sum));
        }
    }
    return c;
}

template <typename T> std::vector<T> converted(const std::vector<int> &values) {
    std::vector<T> out(values.size());
    for (size_t i = 0; i < values.size(); ++i) {
        out[i] = static_cast<T>(static_cast<float>(values[i]));
    }
    return out;
}

template <int M, int N, int K, typename Input, typename Sum>
void check_product(const char *name, int low, int high, uint64_t seed) {
    const int m = 64, n = 64, k = 64;
    auto a = check::integers<int>(m * k, seed, low, high), b = check::integers<int>(n * k, seed + 1000, low, high);
    check::DeviceBuffer<Input> da(converted<Input>(a)), db(converted<Input>(b));
    check::DeviceBuffer<Sum> dc(m * n);
    wmma_product<M, N, K, Input, Sum><<<dim3(n / N, m / M), 32>>>(n, k, da, db, dc);
    check::exact(name, dc.to_host(), product<Sum>(m, n, k, a, b));
}

int main() {
    check_product<16, 16, 16, __half, float>("wmma_product_f16_f32", -60, 60, 101);
    check_product<32, 8, 16, __half, float>("wmma_product_f16_f32_m32n8", -60, 60, 102);
    check_product<8, 32, 16, __half, __half>("wmma_product_f16_f16_m8n32", -4, 4, 103);
    check_product<16, 16, 16, __nv_bfloat16, float>("wmma_product_bf16", -60, 60, 104);
    check_product<8, 8, 4, double, double>("wmma_product_f64", -500, 500, 105);
    check_product<16, 16, 16, signed char, int>("wmma_product_s8", -128, 127, 106);
    check_product<32, 8, 16, unsigned char, int>("wmma_product_u8", 0, 255, 107);
    {
        const int m = 48, n = 32, k = 40;
        auto a = check::integers<int>(m * k, 108, -500, 500), b = check::integers<int>(n * k, 109, -500, 500);
        check::DeviceBuffer<float> da(converted<float>(a)), db(converted<float>(b)), dc(m * n);
        wmma_product_tf32<<<dim3(n / 16, m / 16), 32>>>(n, k, da, db, dc);
        check::exact("wmma_product_tf32", dc.to_host(), product<float>(m, n, k, a, b));
    }
    {
        const int count = 5;
        auto a = check::integers<int>(count * 256, 110, -20, 20), b = check::integers<int>(count * 256, 111, -20, 20),
             c = check::integers<int>(count * 256, 112, -99, 99);
        check::DeviceBuffer<__half> da(converted<__half>(a)), db(converted<__half>(b));
        check::DeviceBuffer<float> dc(converted<float>(c)), dd(count * 256);
        wmma_product_through_shared<<<count, 32>>>(da, db, dc, dd);
        std::vector<float> d(count * 256);
        for (int t = 0; t < count; ++t) {
            for (int row = 0; row < 16; ++row) {
                for (int column = 0; column < 16; ++column) {
                    int sum = 0;
                    for (int i = 0; i < 16; ++i) {
                        sum += a[t * 256 + i * 16 + row] * b[t * 256 + i * 16 + column];
                    }
                    int at = t * 256 + column * 16 + row;
                    d[at] = static_cast<float>(2 * sum + c[at]);
                }
            }
        }
        check::exact("wmma_product_through_shared", dd.to_host(), d);
    }
    {
        const int m = 24, n = 16, words = 8;
        auto a = check::patterns<unsigned>(m * words, 113), b = check::patterns<unsigned>(n * words, 114);
        check::DeviceBuffer<unsigned> da(a), db(b);
        check::DeviceBuffer<int> dc(m * n);
        wmma_product_bits<<<dim3(n / 8, m / 8), 32>>>(n, words, da, db, dc);
        std::vector<int> c(m * n);
        for (int i = 0; i < m * n * words; ++i) {
            int row = i / words / n, column = i / words % n, word = i % words;
            c[row * n + column] += __builtin_popcount(a[row * words + word] & b[column * words + word]);
        }
        check::exact("wmma_product_bits", dc.to_host(), c);
    }
    return check::finish();
}
