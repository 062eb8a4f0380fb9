// Floating-point atomics: float, double, half, bfloat16 and their pairs, vectors, and the compare-and-swap loop.
//@ architectures: 60 70 75 80 90 90a 100 120
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include "support/launch.cuh"

__global__ void singles(float *a, double *b)
{
    __shared__ float sf;
    __shared__ double sd;
    if (threadIdx.x == 0) {
        sf = 0;
        sd = 0;
    }
    __syncthreads();
    atomicAdd(a, 1.0f);
    atomicAdd(&sf, 1.0f);
    atomicAdd(b, 1.0);
    atomicAdd(&sd, 1.0);
    a[1] = atomicAdd(a, 2.0f) + atomicExch(a, 3.0f) + atomicAdd_block(a, 4.0f) + atomicAdd_system(a, 5.0f) + atomicExch_system(a, 5.0f);
    b[1] = atomicAdd(b, 2.0) + atomicAdd_block(b, 4.0) + atomicAdd_system(b, 5.0);
    __syncthreads();
    a[2] = sf;
    b[2] = sd;
}

__global__ void halves(__half2 *pairs, __half *values)
{
    atomicAdd(pairs, __float2half2_rn(1.0f));
    pairs[1] = atomicAdd(pairs, __float2half2_rn(2.0f));
#if __CUDA_ARCH__ >= 700
    atomicAdd(values, __float2half(1.0f));
    values[1] = atomicAdd(values, __float2half(2.0f));
#endif
}

__global__ void brains(__nv_bfloat162 *pairs, __nv_bfloat16 *values)
{
#if __CUDA_ARCH__ >= 800
    atomicAdd(pairs, __float2bfloat162_rn(1.0f));
    pairs[1] = atomicAdd(pairs, __float2bfloat162_rn(2.0f));
    atomicAdd(values, __float2bfloat16(1.0f));
    values[1] = atomicAdd(values, __float2bfloat16(2.0f));
#endif
}

__global__ void vectors(float2 *a, float4 *b)
{
#if __CUDA_ARCH__ >= 900
    a[1] = atomicAdd(a, make_float2(1, 2));
    b[1] = atomicAdd(b, make_float4(1, 2, 3, 4));
    atomicAdd(a, make_float2(1, 2));
    atomicAdd(b, make_float4(1, 2, 3, 4));
#endif
}

__device__ double maximum_by_loop(double *target, double value)
{
    unsigned long long *bits = reinterpret_cast<unsigned long long *>(target);
    unsigned long long old = *bits, expected;
    do {
        expected = old;
        old = atomicCAS(bits, expected, __double_as_longlong(fmax(value, __longlong_as_double(expected))));
    } while (old != expected);
    return __longlong_as_double(old);
}

__global__ void loop(double *target)
{
    maximum_by_loop(target, threadIdx.x);
}

__global__ void instructions(float *a, double *b, unsigned short *narrow, unsigned *pair)
{
    float f;
    double d;
    [[maybe_unused]] unsigned short h;
    unsigned w;
    asm volatile("atom.add.f32 %0, [%1], %2;" : "=f"(f) : "l"(a), "f"(1.0f) : "memory");
    asm volatile("red.global.add.f32 [%0], %1;" ::"l"(a), "f"(f) : "memory");
    asm volatile("atom.global.add.f64 %0, [%1], %2;" : "=d"(d) : "l"(b), "d"(1.0) : "memory");
    asm volatile("red.add.f64 [%0+8], %1;" ::"l"(b), "d"(d) : "memory");
    asm volatile("atom.add.noftz.f16x2 %0, [%1], %2;" : "=r"(w) : "l"(pair), "r"(7) : "memory");
    asm volatile("red.global.add.noftz.f16x2 [%0], %1;" ::"l"(pair), "r"(w) : "memory");
#if __CUDA_ARCH__ >= 700
    asm volatile("atom.global.gpu.relaxed.add.f32 %0, [%1+4], %2;" : "=f"(f) : "l"(a), "f"(f) : "memory");
    asm volatile("atom.relaxed.cta.global.add.noftz.f16 %0, [%1], %2;" : "=h"(h) : "l"(narrow), "h"(narrow[1]) : "memory");
    asm volatile("red.add.noftz.f16 [%0], %1;" ::"l"(narrow), "h"(h) : "memory");
#endif
#if __CUDA_ARCH__ >= 900
    asm volatile("atom.add.noftz.bf16 %0, [%1], %2;" : "=h"(h) : "l"(narrow), "h"(h) : "memory");
    asm volatile("red.release.sys.global.add.noftz.bf16x2 [%0], %1;" ::"l"(pair), "r"(w) : "memory");
    float e;
    asm volatile("atom.global.v2.f32.add {%0, %1}, [%2], {%3, %4};" : "=f"(f), "=f"(e) : "l"(a), "f"(f), "f"(1.0f) : "memory");
    asm volatile("red.global.v4.f32.add [%0], {%1, %2, %3, %4};" ::"l"(a), "f"(f), "f"(e), "f"(f), "f"(e) : "memory");
    asm volatile("red.global.add.noftz.v4.f16x2 [%0], {%1, %2, %3, %4};" ::"l"(pair), "r"(w), "r"(w), "r"(w), "r"(w) : "memory");
    asm volatile("red.relaxed.gpu.global.min.noftz.v8.f16 [%0], {%1, %1, %1, %1, %1, %1, %1, %1};" ::"l"(narrow), "h"(h) : "memory");
    asm volatile("red.global.max.noftz.v2.bf16x2 [%0], {%1, %1};" ::"l"(pair), "r"(w) : "memory");
#endif
}

#ifndef __CUDACC_RTC__
int main()
{
    double *target = corpus::device_array<double>(64);
    singles<<<1, 32>>>(corpus::device_array<float>(64), corpus::device_array<double>(64));
    halves<<<1, 32>>>(corpus::device_array<__half2>(64), corpus::device_array<__half>(64));
    brains<<<1, 32>>>(corpus::device_array<__nv_bfloat162>(64), corpus::device_array<__nv_bfloat16>(64));
    vectors<<<1, 32>>>(corpus::device_array<float2>(64), corpus::device_array<float4>(64));
    loop<<<1, 32>>>(target);
    return corpus::finish("atomics_floating", corpus::read_back(target) == 31.0);
}
#endif
