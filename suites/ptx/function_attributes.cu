// Attributes of functions and variables: noreturn, weak, pure, used, internal, constructors with two names.
#include "support/launch.cuh"

[[noreturn]] __device__ __noinline__ void fail(int code)
{
    printf("failed with %d\n", code);
    __trap();
    for (;;) {
    }
}

__attribute__((weak)) __device__ int replaceable(int x)
{
    return x + 1;
}

__device__ __attribute__((pure)) __noinline__ int pure_function(const int *in)
{
    return in[0] + in[1];
}

__device__ __nv_pure__ __noinline__ int const_function(int x)
{
    return x * x;
}

extern "C" __device__ __attribute__((used)) int kept_though_unused(int x)
{
    return x ^ 1;
}

static __device__ int hidden_variable = 8;

struct Guard {
    int *counter;
    __device__ __noinline__ explicit Guard(int *c) : counter(c) { *counter += 1; }
    __device__ __noinline__ ~Guard() { *counter -= 1; }
};

struct Inherited : Guard {
    int extra[3];
    __device__ __noinline__ explicit Inherited(int *c) : Guard(c), extra{1, 2, 3} {}
};

__global__ void kernel(int *out, const int *in, int n)
{
    if (n < 0) {
        fail(n);
    }
    Guard guard(out);
    Inherited inherited(out);
    out[1] = replaceable(in[0]) + pure_function(in) + const_function(n) + hidden_variable + inherited.extra[n % 3];
}

#ifndef __CUDACC_RTC__
int main()
{
    int *out = corpus::device_array<int>(4);
    kernel<<<1, 1>>>(out, corpus::device_array<int>(4), 2);
    return corpus::finish("function_attributes", corpus::read_back(out) == 0 && corpus::read_back(out, 1) == 1 + 4 + 8 + 3);
}
#endif
