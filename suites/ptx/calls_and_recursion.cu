// Calls: recursion, mutual recursion, many and large parameters, aggregates by value, references, default arguments.
#include "support/launch.cuh"

__device__ __noinline__ int fibonacci(int n)
{
    return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
}

__device__ bool is_odd(unsigned n);

__device__ __noinline__ bool is_even(unsigned n)
{
    return n == 0 || is_odd(n - 1);
}

__device__ __noinline__ bool is_odd(unsigned n)
{
    return n != 0 && is_even(n - 1);
}

struct Small {
    short a;
    char b;
};

struct Big {
    double values[12];
    int count;
    char tag[5];
};

struct alignas(16) Aligned {
    float4 first, second;
};

struct Empty {};

__device__ __noinline__ Big make_big(Big in, const Aligned &aligned, Small small)
{
    in.values[in.count % 12] += aligned.second.w + small.a;
    in.tag[1] = small.b;
    in.count += 1;
    return in;
}

__device__ __noinline__ Aligned make_aligned(Aligned in, float scale)
{
    in.first.x *= scale;
    in.second = make_float4(in.first.w, in.first.z, scale, 0);
    return in;
}

__device__ __noinline__ Small make_small(Small in, Empty)
{
    return Small{static_cast<short>(in.b), static_cast<char>(in.a)};
}

__device__ __noinline__ bool narrow_types(bool a, char b, unsigned char c, short d, unsigned short e, long long f, float g, double h, const int *i, int &j)
{
    j += b + c + d + e;
    return a && f > 0 && g < static_cast<float>(h) && *i == j;
}

__device__ __noinline__ void no_result(int *out, int value = 11)
{
    *out += value;
}

__global__ void recursions(int *out, int n)
{
    out[threadIdx.x] = fibonacci(n) + is_even(static_cast<unsigned>(n));
}

__global__ void aggregates(Big *big, Aligned *aligned, Small *small)
{
    aligned[0] = make_aligned(aligned[1], 2.0f);
    small[0] = make_small(small[1], Empty{});
    big[0] = make_big(big[1], aligned[0], small[0]);
}

__global__ void many_parameters(bool *out, int *target, char a, unsigned char b, short c, unsigned short d, long long e, float f, double g, Small h, Big i, Aligned j,
    const int *__restrict__ k, void (*unused)(), int4 l, char m)
{
    *out = narrow_types(a != 0, a, b, c, d, e, f, g, k, *target);
    no_result(target);
    no_result(target, h.a + i.count + static_cast<int>(j.first.y) + l.w + m + (unused == nullptr));
}

struct Parameters {
    int values[1000];
};

// Four kilobytes of parameters, indexed at run time.
__global__ void big_parameter(int *out, const Parameters parameters)
{
    out[threadIdx.x] = parameters.values[(threadIdx.x * 37) % 1000];
}

__forceinline__ __device__ int inlined(int a)
{
    return a * 3;
}

__global__ void inlining_chain(int *out)
{
    out[threadIdx.x] = inlined(inlined(static_cast<int>(threadIdx.x)));
}

#ifndef __CUDACC_RTC__
int main()
{
    int *out = corpus::device_array<int>(64);
    aggregates<<<1, 1>>>(corpus::device_array<Big>(4), corpus::device_array<Aligned>(4), corpus::device_array<Small>(4));
    big_parameter<<<1, 32>>>(out, Parameters{});
    recursions<<<1, 32>>>(out, 10);
    return corpus::finish("calls_and_recursion", corpus::read_back(out) == 56);
}
#endif
