// nvcuda::wmma: half, bfloat16, tf32, double, 8-bit, 4-bit and 1-bit fragments in all shapes and layouts.
//@ architectures: 70 75 80 90 90a 100 120
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <mma.h>

#include "support/launch.cuh"

using namespace nvcuda;

template <int M, int N, int K, typename Input, typename Accumulator, typename LayoutA, typename LayoutB, typename Storage>
__device__ void multiply(Accumulator *out, const Storage *a, const Storage *b, wmma::layout_t layout)
{
    wmma::fragment<wmma::matrix_a, M, N, K, Input, LayoutA> fragment_a;
    wmma::fragment<wmma::matrix_b, M, N, K, Input, LayoutB> fragment_b;
    wmma::fragment<wmma::accumulator, M, N, K, Accumulator> accumulator;
    wmma::load_matrix_sync(fragment_a, a, K);
    wmma::load_matrix_sync(fragment_b, b, K);
    wmma::load_matrix_sync(accumulator, out, N, layout);
    wmma::mma_sync(accumulator, fragment_a, fragment_b, accumulator);
    for (int i = 0; i < accumulator.num_elements; ++i) {
        accumulator.x[i] = accumulator.x[i] + accumulator.x[i];
    }
    wmma::store_matrix_sync(out, accumulator, N, layout);
}

template <int M, int N, int K, typename Input, typename Accumulator> __device__ void all_layouts(Accumulator *out, const Input *a, const Input *b)
{
    multiply<M, N, K, Input, Accumulator, wmma::row_major, wmma::row_major>(out, a, b, wmma::mem_row_major);
    multiply<M, N, K, Input, Accumulator, wmma::row_major, wmma::col_major>(out, a, b, wmma::mem_col_major);
    multiply<M, N, K, Input, Accumulator, wmma::col_major, wmma::row_major>(out, a, b, wmma::mem_row_major);
    multiply<M, N, K, Input, Accumulator, wmma::col_major, wmma::col_major>(out, a, b, wmma::mem_col_major);
}

__global__ void halves(float *single, __half *half, const __half *a, const __half *b)
{
    all_layouts<16, 16, 16>(single, a, b);
    all_layouts<32, 8, 16>(single, a, b);
    all_layouts<8, 32, 16>(single, a, b);
    all_layouts<16, 16, 16>(half, a, b);
}

__global__ void bytes(int *out, const signed char *a, const unsigned char *b)
{
#if __CUDA_ARCH__ >= 720
    all_layouts<16, 16, 16>(out, a, a);
    all_layouts<32, 8, 16>(out, b, b);
    all_layouts<8, 32, 16>(out, a, a);
#endif
}

__global__ void sub_bytes(int *out, const void *a, const void *b)
{
#if __CUDA_ARCH__ >= 750 && __CUDA_ARCH__ < 900
    wmma::fragment<wmma::matrix_a, 8, 8, 32, wmma::experimental::precision::s4, wmma::row_major> four_a;
    wmma::fragment<wmma::matrix_b, 8, 8, 32, wmma::experimental::precision::s4, wmma::col_major> four_b;
    wmma::fragment<wmma::accumulator, 8, 8, 32, int> four;
    wmma::fill_fragment(four, 0);
    wmma::load_matrix_sync(four_a, a, 32);
    wmma::load_matrix_sync(four_b, b, 32);
    wmma::mma_sync(four, four_a, four_b, four);
    wmma::store_matrix_sync(out, four, 8, wmma::mem_row_major);
    wmma::fragment<wmma::matrix_a, 8, 8, 128, wmma::experimental::precision::b1, wmma::row_major> one_a;
    wmma::fragment<wmma::matrix_b, 8, 8, 128, wmma::experimental::precision::b1, wmma::col_major> one_b;
    wmma::fragment<wmma::accumulator, 8, 8, 128, int> one;
    wmma::fill_fragment(one, 0);
    wmma::load_matrix_sync(one_a, a, 128);
    wmma::load_matrix_sync(one_b, b, 128);
    wmma::bmma_sync(one, one_a, one_b, one);
#if __CUDA_ARCH__ >= 800
    wmma::bmma_sync(one, one_a, one_b, one, wmma::experimental::bmmaBitOpAND);
#endif
    wmma::store_matrix_sync(out, one, 8, wmma::mem_row_major);
#endif
}

__global__ void since_ampere(float *single, double *wide, const __nv_bfloat16 *a, const float *tf, const double *d)
{
#if __CUDA_ARCH__ >= 800
    all_layouts<16, 16, 16>(single, a, a);
    all_layouts<32, 8, 16>(single, a, a);
    all_layouts<8, 8, 4>(wide, d, d);
    wmma::fragment<wmma::matrix_a, 16, 16, 8, wmma::precision::tf32, wmma::row_major> tf_a;
    wmma::fragment<wmma::matrix_b, 16, 16, 8, wmma::precision::tf32, wmma::col_major> tf_b;
    wmma::fragment<wmma::accumulator, 16, 16, 8, float> accumulator;
    wmma::fill_fragment(accumulator, 0.0f);
    wmma::load_matrix_sync(tf_a, tf, 8);
    wmma::load_matrix_sync(tf_b, tf, 8);
    for (int i = 0; i < tf_a.num_elements; ++i) {
        tf_a.x[i] = wmma::__float_to_tf32(tf_a.x[i]);
    }
    wmma::mma_sync(accumulator, tf_a, tf_b, accumulator);
    wmma::store_matrix_sync(single, accumulator, 16, wmma::mem_row_major);
#endif
}

__global__ void from_shared_memory(float *out)
{
    __shared__ __half a[256], b[256];
    for (int i = threadIdx.x; i < 256; i += 32) {
        a[i] = __float2half(1.0f);
        b[i] = __float2half(2.0f);
    }
    __syncwarp();
    multiply<16, 16, 16, __half, float, wmma::row_major, wmma::col_major>(out, a, b, wmma::mem_row_major);
}

#ifndef __CUDACC_RTC__
int main()
{
    float *single = corpus::device_array<float>(1024);
    __half *half = corpus::device_array<__half>(1024);
    halves<<<1, 32>>>(single, corpus::device_array<__half>(1024), half, half);
    float *out = corpus::device_array<float>(1024);
    from_shared_memory<<<1, 32>>>(out);
    return corpus::finish("wmma_api", corpus::read_back(out, 100) == 64.0f);
}
#endif
